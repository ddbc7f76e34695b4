import type { Call } from '../../../memory/call.ts';
import { adoptInto, forgetFrom } from '../../../memory/facts/amend.ts';
import { digestOf, type FactKey, isSingleValued, keyRecordId, normalValue } from '../../../memory/facts/fact-key.ts';
import { type Fact, factOf, timelineOf, validityOf } from '../../../memory/facts/fact-record.ts';
import { counts, linked, stateOf, type Timeline, type TimelineEntry } from '../../../memory/facts/timeline.ts';
import type { Memory, Micros } from '../../../memory/memory.ts';
import { trustRank } from '../../../memory/trust.ts';
import type { MemoryDeps } from '../memories/operation-deps.ts';
import { changeKeys, type Edit, getAll, type Timelines } from './change-keys.ts';

/**
 * True where a memory of a fact differs from the timeline of its key: it came from an import, a restore or an update.
 */
export function isOutdated(memory: Memory, timeline: Timeline, nowUs: Micros): boolean {
  const state = stateOf(timeline.entries.find(({ id }) => id === memory.id) ?? UNKNOWN);
  if (!state) return true;
  const { validFromUs, validUntilUs, supersededBy } = validityOf(state, nowUs);
  if (memory.validFromUs !== validFromUs || memory.validUntilUs !== validUntilUs) return true;
  // A successor is named once the fact has ended; until then only its end is there.
  return memory.supersededBy !== supersededBy && memory.supersededBy !== undefined;
}

const UNKNOWN = { states: [] };

/**
 * Aligns memories of facts with the timelines of their keys: forgotten and withdrawn facts are removed again, new ones
 * are added in their position. Returns the number of forgotten facts that existed again.
 */
export async function reconcileFacts(
  deps: MemoryDeps,
  namespace: string,
  ids: readonly string[],
  call: Call,
): Promise<number> {
  const memories = await getAll(deps, namespace, ids, deps.clock.nowUs());
  const facts = memories.flatMap((memory) => {
    const fact = memory && factOf(memory);
    return memory && fact ? [{ memory, fact }] : [];
  });
  const keys = facts.map(({ fact }) => fact.key);
  const { idempotency: _, ...plainCall } = call;
  const { result: erasedIds } = await changeKeys(
    deps,
    namespace,
    keys,
    (timelines, atUs) => align(facts, timelines, atUs),
    plainCall,
  );
  await deleteErased(deps, namespace, erasedIds);
  return erasedIds.length;
}

/**
 * As `reconcileFacts`, for differing memories, after a restore. Facts of their keys that the restore deleted leave the
 * timelines, so that facts superseded by them count again.
 */
export async function reconcileRestored(
  deps: MemoryDeps,
  namespace: string,
  memories: readonly Memory[],
  call: Call,
): Promise<void> {
  const nowUs = deps.clock.nowUs();
  const facts = memories.flatMap((memory) => {
    const fact = factOf(memory);
    return fact ? [{ memory, key: fact.key }] : [];
  });
  const recordIds = [...new Set(facts.map(({ key }) => keyRecordId(key)))];
  const records = await getAll(deps, namespace, recordIds, nowUs);
  const timelines = new Map(recordIds.map((id, at) => [id, timelineOf(records[at])]));
  const outdated = facts.filter(({ memory, key }) =>
    isOutdated(memory, timelines.get(keyRecordId(key)) ?? { entries: [] }, nowUs),
  );
  if (outdated.length === 0) return;
  const keys = outdated.map(({ key }) => key);
  const known = keys.flatMap((key) => timelines.get(keyRecordId(key))?.entries.filter(counts) ?? []);
  const found = await getAll(
    deps,
    namespace,
    known.map(({ id }) => id),
    nowUs,
  );
  const goneIds = new Set(known.filter((_, at) => !found[at]).map(({ id }) => id));
  await changeKeys(deps, namespace, keys, (all, atUs) => withdraw(keys, goneIds, all, atUs), call);
  await reconcileFacts(
    deps,
    namespace,
    outdated.map(({ memory }) => memory.id),
    call,
  );
}

function withdraw(
  keys: readonly FactKey[],
  goneIds: ReadonlySet<string>,
  all: Timelines,
  atUs: Micros,
): Edit<undefined> {
  for (const key of keys) {
    const timeline = all.of(key);
    if (!timeline.entries.some(({ id }) => goneIds.has(id))) continue;
    const entries = timeline.entries.filter((entry) => !(goneIds.has(entry.id) && counts(entry)));
    all.set(key, linked({ entries }, isSingleValued(key.attribute), atUs));
  }
  return { facts: new Map(), result: undefined };
}

/** Deletes the remains of forgotten facts. */
export async function deleteErased(
  { store, clock }: MemoryDeps,
  namespace: string,
  ids: readonly string[],
): Promise<void> {
  if (ids.length === 0) return;
  await store.write({ kind: 'delete', namespace, ids, cause: 'deleted', mustExist: false, atUs: clock.nowUs() });
}

function align(
  facts: readonly { readonly memory: Memory; readonly fact: Fact }[],
  timelines: Timelines,
  atUs: Micros,
): Edit<string[]> {
  const erasedIds: string[] = [];
  const kept = new Map<string, (before: Fact | undefined) => Fact>();
  for (const { memory, fact } of facts) {
    const timeline = timelines.of(fact.key);
    const value = digestOf(normalValue(fact.value));
    const entry = timeline.entries.find(({ id }) => id === fact.id);
    const last = entry ?? timeline.entries.findLast((one) => one.value === value);
    if (last?.forgottenAtUs !== undefined) erasedIds.push(fact.id);
    else {
      // Naming it has its memory written from the timeline.
      kept.set(fact.id, (before) => before ?? fact);
      if (!entry) timelines.set(fact.key, adopted(timeline, fact, memory, atUs));
    }
  }
  return { facts: kept, erasedIds, result: erasedIds };
}

function adopted(timeline: Timeline, fact: Fact, memory: Memory, atUs: Micros): Timeline {
  const { validFromUs, validUntilUs, supersededBy, eventAtUs, createdAtUs } = memory;
  const fromUs = validFromUs ?? Math.min(eventAtUs, createdAtUs);
  const entry: TimelineEntry = {
    id: fact.id,
    value: digestOf(normalValue(fact.value)),
    fromUs,
    confirmedUs: [],
    closed: validUntilUs === undefined ? undefined : { untilUs: validUntilUs, by: supersededBy },
    trust: trustRank(fact.trust),
    texts: [digestOf(normalValue(fact.text))],
    states: [],
  };
  return adoptInto(timeline, entry, isSingleValued(fact.key.attribute), atUs);
}

export function forgotten(timeline: Timeline, ids: ReadonlySet<string>, key: FactKey, atUs: Micros): Timeline {
  return forgetFrom(timeline, ids, isSingleValued(key.attribute), atUs);
}
