import type { Call } from '../../../memory/call.ts';
import { isSingleValued } from '../../../memory/facts/fact-key.ts';
import { type Fact, factOf } from '../../../memory/facts/fact-record.ts';
import { linked } from '../../../memory/facts/timeline.ts';
import type { Filter } from '../../../memory/filter.ts';
import type { TrustLevel } from '../../../memory/trust.ts';
import type { ListPage } from '../../../storage/records.ts';
import { checkWhole, PAGE_BYTES } from '../memories/list-memories.ts';
import type { MemoryDeps } from '../memories/operation-deps.ts';
import { changeKeys, type Edit, getAll, type Timelines } from './change-keys.ts';
import { content, isFactFilter } from './fact-filters.ts';
import { deleteErased } from './reconcile-facts.ts';

/** Facts that are looked at in one write. */
const BATCH = 100;

/**
 * The memories no longer say what they said: facts with no other source leave the timelines of their keys, so that what they had
 * superseded counts again and the same may be learned once more. Facts that a caller has asserted stay.
 */
export async function withdrawFacts(
  deps: MemoryDeps,
  namespace: string,
  removedIds: readonly string[],
  call: Call,
): Promise<void> {
  const prefix = `namespaces/${namespace}/memories/`;
  const removed = new Set(removedIds.map((id) => prefix + id));
  const explicit = content('trust', ['explicit'] satisfies TrustLevel[]);
  const filters: Filter[] = [isFactFilter(), content('sources', [...removed]), { kind: 'not', filter: explicit }];
  let after: ListPage['next'];
  do {
    call.signal.throwIfAborted();
    const page: ListPage = await deps.view.list({
      namespace,
      filter: { kind: 'all', filters },
      order: 'create_time_asc',
      limit: BATCH,
      bytesMax: PAGE_BYTES,
      after,
      view: 'basic',
      nowUs: deps.clock.nowUs(),
    });
    checkWhole(namespace, page);
    after = page.next;
    const facts = page.memories.flatMap((memory) => factOf(memory) ?? []);
    if (facts.length === 0) continue;
    const goneIds = await unfounded(deps, namespace, facts, removed);
    const edit = (timelines: Timelines): Edit<undefined> =>
      withoutSources(timelines, { facts, goneIds, removed }, deps.clock.nowUs());
    await changeKeys(
      deps,
      namespace,
      facts.map(({ key }) => key),
      edit,
      call,
    );
    await deleteErased(deps, namespace, [...goneIds]);
  } while (after);
}

/** Ids of facts without a source that is a memory, or a name outside of the namespace. */
async function unfounded(
  deps: MemoryDeps,
  namespace: string,
  facts: readonly Fact[],
  removed: ReadonlySet<string>,
): Promise<ReadonlySet<string>> {
  const prefix = `namespaces/${namespace}/memories/`;
  const others = new Set(facts.flatMap(({ sources }) => sources).filter((source) => !removed.has(source)));
  const ids = [...others].filter((source) => source.startsWith(prefix)).map((source) => source.slice(prefix.length));
  const found = await getAll(deps, namespace, ids, deps.clock.nowUs());
  const gone = new Set([...removed, ...ids.filter((_, at) => !found[at]).map((id) => prefix + id)]);
  return new Set(facts.flatMap(({ id, sources }) => (sources.every((source) => gone.has(source)) ? [id] : [])));
}

interface Withdrawal {
  readonly facts: readonly Fact[];
  readonly goneIds: ReadonlySet<string>;
  /** Names of the memories that were removed. */
  readonly removed: ReadonlySet<string>;
}

function withoutSources(timelines: Timelines, { facts, goneIds, removed }: Withdrawal, atUs: number): Edit<undefined> {
  const kept = new Map<string, (before: Fact | undefined) => Fact>();
  for (const fact of facts) {
    const { id, key } = fact;
    const timeline = timelines.of(key);
    if (!goneIds.has(id)) {
      if (timeline.entries.some((entry) => entry.id === id && entry.forgottenAtUs === undefined))
        kept.set(id, (before = fact) => ({ ...before, sources: before.sources.filter((one) => !removed.has(one)) }));
      continue;
    }
    const entries = timeline.entries.filter((entry) => entry.id !== id || entry.forgottenAtUs !== undefined);
    timelines.set(key, linked({ entries }, isSingleValued(key.attribute), atUs));
  }
  return { facts: kept, erasedIds: [...goneIds], result: undefined };
}
