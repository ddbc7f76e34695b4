import type { Call } from '../../../memory/call.ts';
import { memoryNotFound } from '../../../memory/errors.ts';
import {
  type FactKey,
  isSingleValued,
  keyRecordId,
  normalAttribute,
  normalSubject,
  USER,
} from '../../../memory/facts/fact-key.ts';
import { factOf, timelineOf } from '../../../memory/facts/fact-record.ts';
import { counts, covers, type FactState, stateOf, type Timeline } from '../../../memory/facts/timeline.ts';
import { type Filter, scopedFilter } from '../../../memory/filter.ts';
import type { Memory, Micros, Scope } from '../../../memory/memory.ts';
import { validityFilter } from '../../../memory/validity.ts';
import type { ListPage, ListPosition } from '../../../storage/records.ts';
import { scopeRefusal, withVisibility } from '../visibility/visibility.ts';
import { nameKey } from './assert-facts.ts';
import { getAll } from './change-keys.ts';
import { checkScopeSeen, type FactDeps, type StoredFact } from './fact-deps.ts';
import { content, isFactFilter } from './fact-filters.ts';
import { isOutdated, reconcileFacts } from './reconcile-facts.ts';

export interface ListFactsRequest {
  readonly namespace: string;
  /** Parts that are not empty must be equal. */
  readonly scope?: Scope;
  readonly subject?: string;
  readonly attribute?: string;
  /** The instant at which facts are to have been so. Absent: as recorded, or else now. */
  readonly validAtUs?: Micros;
  /** The facts as recorded at that instant. Absent: now. */
  readonly recordedAtUs?: Micros;
  readonly includesSuperseded: boolean;
  readonly limit: number;
  readonly after?: ListPosition;
}

export interface FactsPage {
  readonly facts: readonly StoredFact[];
  readonly next?: ListPosition;
}

/** Memories that are looked at for one page at most; a page may be short. */
const SCANNED_MAX = 4000;
const PAGE_BYTES = 2_097_152;

/** A page of facts, the newest record first. Facts whose memories were changed from outside are put right first. */
export async function listFacts(deps: FactDeps, request: ListFactsRequest, call: Call): Promise<FactsPage> {
  const { namespace, limit } = request;
  const nowUs = deps.clock.nowUs();
  const visibility = await deps.visibilityRules.of(namespace);
  const filter = withVisibility(await filterOf(deps, request, nowUs), visibility);
  const facts: StoredFact[] = [];
  let after = request.after;
  for (let scanned = 0; ; ) {
    call.signal.throwIfAborted();
    const page: ListPage = await deps.view.list({
      namespace,
      filter,
      order: 'create_time_desc',
      limit: limit - facts.length,
      bytesMax: PAGE_BYTES,
      after,
      view: 'basic',
      nowUs,
    });
    facts.push(...(await factsAmong(deps, namespace, page.memories, request, nowUs, call)));
    scanned += page.memories.length;
    after = page.next;
    if (!after || facts.length >= limit || scanned >= SCANNED_MAX) break;
  }
  return { facts, next: after };
}

async function filterOf(deps: FactDeps, request: ListFactsRequest, nowUs: Micros): Promise<Filter> {
  const { scope, subject, attribute, validAtUs, recordedAtUs, includesSuperseded } = request;
  const filters: Filter[] = [isFactFilter()];
  if (subject !== undefined) filters.push(content('subject_key', await subjectsOf(deps, request, subject, nowUs)));
  if (attribute !== undefined) filters.push(content('attribute', [normalAttribute(attribute)]));
  if (recordedAtUs !== undefined) {
    const target = { kind: 'field', field: 'create_time' } as const;
    filters.push({
      kind: 'comparison',
      target,
      operator: 'less_or_equal',
      values: [{ timeUs: recordedAtUs }],
      ignoreCase: false,
    });
  } else if (!includesSuperseded) {
    const valid = validityFilter(validAtUs === undefined ? 'current' : { asOfUs: validAtUs }, nowUs);
    if (valid) filters.push(valid);
  }
  const filter: Filter = { kind: 'all', filters };
  return scopedFilter({ filter, scope }) ?? filter;
}

/**
 * Normal forms of a subject: the user is also found by name, and facts recorded before the name was known by that name.
 */
export async function subjectsOf(
  deps: FactDeps,
  { namespace, scope }: Pick<ListFactsRequest, 'namespace' | 'scope'>,
  subject: string,
  nowUs: Micros,
): Promise<string[]> {
  const normal = normalSubject(subject);
  if (!scope) return [normal];
  const [record] = await getAll(deps, namespace, [keyRecordId(nameKey(scope))], nowUs);
  const names = timelineOf(record)
    .entries.filter(counts)
    .map(({ id }) => id);
  if (names.length === 0) return [normal];
  const known = (await getAll(deps, namespace, names, nowUs)).flatMap((memory) => {
    const fact = memory && factOf(memory);
    return fact ? [normalSubject(fact.value)] : [];
  });
  if (normal === USER) return [...new Set([USER, ...known])];
  return known.includes(normal) ? [normal, USER] : [normal];
}

async function factsAmong(
  deps: FactDeps,
  namespace: string,
  memories: readonly Memory[],
  request: ListFactsRequest,
  nowUs: Micros,
  call: Call,
): Promise<StoredFact[]> {
  const { validAtUs, recordedAtUs, includesSuperseded } = request;
  const atUs = validAtUs ?? recordedAtUs ?? nowUs;
  return (await storedFacts(deps, namespace, memories, call)).flatMap(({ timeline, ...stored }) => {
    const entry = timeline.entries.find(({ id }) => id === stored.fact.id);
    const state = entry && stateOf(entry, recordedAtUs);
    if (!state) return [];
    // A fact that was never true is part of the recorded history, and shown only with it.
    const isShown = includesSuperseded || covers(state, atUs);
    return isShown ? [{ ...stored, state }] : [];
  });
}

/** Facts of memories with the timelines of their keys, after differences were repaired. */
export async function storedFacts(
  deps: FactDeps,
  namespace: string,
  memories: readonly Memory[],
  call: Call,
): Promise<(StoredFact & { readonly timeline: Timeline })[]> {
  const read = await readTimelines(deps, namespace, memories);
  const outdated = read.filter(({ memory, timeline }) => isOutdated(memory, timeline, deps.clock.nowUs()));
  if (outdated.length === 0) return read.flatMap(withState);
  await reconcileFacts(
    deps,
    namespace,
    outdated.map(({ memory }) => memory.id),
    call,
  );
  const ids = memories.map(({ id }) => id);
  const again = await getAll(deps, namespace, ids, deps.clock.nowUs());
  return (
    await readTimelines(
      deps,
      namespace,
      again.filter((memory) => memory !== undefined),
    )
  ).flatMap(withState);
}

type Read = Omit<StoredFact, 'state'> & { readonly timeline: Timeline };

function withState(read: Read): (StoredFact & { readonly timeline: Timeline })[] {
  const entry = read.timeline.entries.find(({ id }) => id === read.fact.id);
  const state: FactState | undefined = entry && stateOf(entry);
  return state ? [{ ...read, state }] : [];
}

async function readTimelines(deps: FactDeps, namespace: string, memories: readonly Memory[]): Promise<Read[]> {
  const facts = memories.flatMap((memory) => {
    const fact = factOf(memory);
    return fact ? [{ memory, fact, recordId: keyRecordId(fact.key) }] : [];
  });
  const ids = [...new Set(facts.map(({ recordId }) => recordId))];
  const records = await getAll(deps, namespace, ids, deps.clock.nowUs());
  const timelines = new Map(ids.map((id, at) => [id, timelineOf(records[at])]));
  return facts.map(({ recordId, ...rest }) => ({
    ...rest,
    timeline: timelines.get(recordId) ?? timelineOf(undefined),
  }));
}

/** Fails with MEMORY_NOT_FOUND where the memory is not there, is no fact or may not be seen. */
export async function getFact(
  deps: FactDeps,
  namespace: string,
  id: string,
  call: Call,
): Promise<StoredFact & { readonly timeline: Timeline }> {
  const nowUs = deps.clock.nowUs();
  const [memory] = await deps.seen.get({ namespace, ids: [id], view: 'full', nowUs });
  const [found] = memory ? await storedFacts(deps, namespace, [memory], call) : [];
  if (!found) throw memoryNotFound(namespace, id);
  return found;
}

export interface FactHistory {
  readonly key: FactKey;
  readonly isSingleValued: boolean;
  /** By valid time. */
  readonly facts: readonly (StoredFact & { readonly states: readonly FactState[]; readonly isWithdrawn: boolean })[];
  readonly forgottenCount: number;
}

/** Every fact that a key had, with its recorded states; none where the caller is limited to other scopes. */
export async function factHistory(deps: FactDeps, namespace: string, key: FactKey, call: Call): Promise<FactHistory> {
  const isSingle = isSingleValued(key.attribute);
  if (scopeRefusal(namespace, key.scope)) return { key, isSingleValued: isSingle, facts: [], forgottenCount: 0 };
  await checkScopeSeen(deps, namespace, key.scope);
  const nowUs = deps.clock.nowUs();
  const [record] = await getAll(deps, namespace, [keyRecordId(key)], nowUs);
  const { entries } = timelineOf(record);
  const known = entries.filter(({ forgottenAtUs }) => forgottenAtUs === undefined);
  const memories = await getAll(
    deps,
    namespace,
    known.map(({ id }) => id),
    nowUs,
  );
  const found = await storedFacts(
    deps,
    namespace,
    memories.filter((memory) => memory !== undefined),
    call,
  );
  const facts = found.map(({ timeline, ...stored }) => {
    const entry = timeline.entries.find(({ id }) => id === stored.fact.id);
    return { ...stored, states: entry?.states ?? [], isWithdrawn: entry?.withdrawnFor !== undefined };
  });
  facts.sort((one, other) => one.state.fromUs - other.state.fromUs);
  return {
    key,
    isSingleValued: isSingle,
    facts,
    forgottenCount: entries.length - facts.length,
  };
}
