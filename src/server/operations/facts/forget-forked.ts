import type { Call } from '../../../memory/call.ts';
import {
  digestOf,
  FACT_LIMITS,
  type FactKey,
  factId,
  keyRecordId,
  normalValue,
} from '../../../memory/facts/fact-key.ts';
import { type Fact, factOf, timelineOf } from '../../../memory/facts/fact-record.ts';
import { scopedFilter } from '../../../memory/filter.ts';
import type { Scope } from '../../../memory/memory.ts';
import { SCOPE_PARTS } from '../../../memory/scope.ts';
import type { ListPage } from '../../../storage/records.ts';
import type { MemoryDeps } from '../memories/operation-deps.ts';
import { changeKeys, type Edit, getAll, type Timelines } from './change-keys.ts';
import { isFactFilter } from './fact-filters.ts';
import { deleteErased, forgotten } from './reconcile-facts.ts';

const PAGE = 500;

/** After a fork: copies of facts that were forgotten in the scope of the snapshot are forgotten in the new scope too. */
export async function forgetForked(
  deps: MemoryDeps,
  namespace: string,
  { from, to }: { readonly from: Scope; readonly to: Scope },
  call: Call,
): Promise<void> {
  const { idempotency: _, ...plainCall } = call;
  const filter = scopedFilter({ filter: isFactFilter(), scope: to }) ?? isFactFilter();
  let after: ListPage['next'];
  do {
    const page: ListPage = await deps.view.list({
      ...{ namespace, filter, order: 'create_time_asc', limit: PAGE, bytesMax: Number.MAX_SAFE_INTEGER, view: 'basic' },
      after,
      nowUs: deps.clock.nowUs(),
    });
    const facts = page.memories.flatMap((memory) => factOf(memory) ?? []);
    const gone = await forgottenIn(deps, namespace, facts, { from, to });
    const edit = (timelines: Timelines, atUs: number): Edit<undefined> => {
      for (const { id, key } of gone) timelines.set(key, forgotten(timelines.of(key), new Set([id]), key, atUs));
      return { facts: new Map(), erasedIds: gone.map(({ id }) => id), result: undefined };
    };
    const keys = gone.map(({ key }) => key);
    if (gone.length > 0) await changeKeys(deps, namespace, keys, edit, plainCall);
    await deleteErased(
      deps,
      namespace,
      gone.map(({ id }) => id),
    );
    after = page.next;
  } while (after);
}

/** Copies whose value was forgotten where they come from. */
async function forgottenIn(
  deps: MemoryDeps,
  namespace: string,
  facts: readonly Fact[],
  scopes: { readonly from: Scope; readonly to: Scope },
): Promise<Fact[]> {
  const keys = facts.map(({ key }): FactKey => ({ ...key, scope: originOf(key.scope, scopes) }));
  const records = await getAll(deps, namespace, keys.map(keyRecordId), deps.clock.nowUs());
  return facts.filter((fact, at) => {
    const { entries } = timelineOf(records[at]);
    const value = digestOf(normalValue(fact.value));
    if (entries.findLast((entry) => entry.value === value)?.forgottenAtUs === undefined) return false;
    // A fact that was asserted in the new scope has an id of its key; a copy has not.
    const numbers = Array.from({ length: FACT_LIMITS.valuesOfKey + 1 }, (_, number) => number);
    return !numbers.some((number) => factId(fact.key, value, number) === fact.id);
  });
}

function originOf(scope: Scope, { from, to }: { readonly from: Scope; readonly to: Scope }): Scope {
  const origin: Record<keyof Scope, string> = { ...scope };
  for (const part of SCOPE_PARTS) if (to[part] !== '' && from[part] !== '') origin[part] = from[part];
  return origin;
}
