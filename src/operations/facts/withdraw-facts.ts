import type { Call } from '../../memory/call.ts';
import { isSingleValued } from '../../memory/facts/fact-key.ts';
import { type Fact, factOf } from '../../memory/facts/fact-record.ts';
import { linked } from '../../memory/facts/timeline.ts';
import type { Filter } from '../../memory/filter.ts';
import { listUpTo } from '../memories/list-memories.ts';
import type { MemoryDeps } from '../memories/operation-deps.ts';
import { changeKeys, type Edit, getAll, type Timelines } from './change-keys.ts';
import { isFactFilter } from './fact-filters.ts';
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
  const target = { kind: 'field', field: 'source_uri' } as const;
  const cites: Filter = { kind: 'comparison', target, operator: 'in', values: [...removed], ignoreCase: false };
  const filter: Filter = { kind: 'all', filters: [isFactFilter(), cites] };
  for (;;) {
    call.signal.throwIfAborted();
    const nowUs = deps.clock.nowUs();
    const read = { namespace, filter, order: 'create_time_asc', view: 'basic', nowUs } as const;
    const memories = await listUpTo(deps.store, { ...read, limit: BATCH });
    const facts = memories.flatMap((memory) => factOf(memory) ?? []).filter(({ trust }) => trust !== 'explicit');
    if (facts.length === 0) return;
    const left = await sourcesLeft(deps, namespace, facts, removed);
    const isGone = ({ id }: Fact) => (left.get(id) ?? []).length === 0;
    const edit = (timelines: Timelines): Edit<undefined> => withoutSources(timelines, facts, left, deps.clock.nowUs());
    await changeKeys(
      deps,
      namespace,
      facts.map(({ key }) => key),
      edit,
      call,
    );
    await deleteErased(
      deps,
      namespace,
      facts.filter(isGone).map(({ id }) => id),
    );
    if (memories.length < BATCH) return;
  }
}

/** Sources that a fact still has, by its id: memories that are there, and names outside of the namespace. */
async function sourcesLeft(
  deps: MemoryDeps,
  namespace: string,
  facts: readonly Fact[],
  removed: ReadonlySet<string>,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const prefix = `namespaces/${namespace}/memories/`;
  const others = new Set(facts.flatMap(({ sources }) => sources).filter((source) => !removed.has(source)));
  const ids = [...others].filter((source) => source.startsWith(prefix)).map((source) => source.slice(prefix.length));
  const found = await getAll(deps, namespace, ids, deps.clock.nowUs());
  const gone = new Set([...removed, ...ids.filter((_, at) => !found[at]).map((id) => prefix + id)]);
  return new Map(facts.map(({ id, sources }) => [id, sources.filter((source) => !gone.has(source))]));
}

function withoutSources(
  timelines: Timelines,
  facts: readonly Fact[],
  left: ReadonlyMap<string, readonly string[]>,
  atUs: number,
): Edit<undefined> {
  const erasedIds: string[] = [];
  const kept = new Map<string, (before: Fact | undefined) => Fact>();
  for (const fact of facts) {
    const { id, key } = fact;
    const sources = left.get(id) ?? [];
    const timeline = timelines.of(key);
    if (sources.length > 0) {
      if (timeline.entries.some((entry) => entry.id === id && entry.forgottenAtUs === undefined))
        kept.set(id, (before) => ({ ...(before ?? fact), sources }));
      continue;
    }
    erasedIds.push(id);
    const entries = timeline.entries.filter((entry) => entry.id !== id || entry.forgottenAtUs !== undefined);
    timelines.set(key, linked({ entries }, isSingleValued(key.attribute), atUs));
  }
  return { facts: kept, erasedIds, result: undefined };
}
