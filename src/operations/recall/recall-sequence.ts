import { memoryNotFound } from '../../memory/errors.ts';
import { admits } from '../../memory/evaluate-filter.ts';
import type { Filter } from '../../memory/filter.ts';
import type { Memory, Micros } from '../../memory/memory.ts';
import { parsedContent } from '../../memory/parsed-content.ts';
import { validityFilter } from '../../memory/validity.ts';
import { allOf, entryFilter, fieldFilter } from '../../recall/presets/entry-filter.ts';
import type { SequencePlan } from '../../recall/presets/preset.ts';
import { placesOf, valuesAt } from '../../recall/scoring/entry-place.ts';
import { instantOfValue } from '../../recall/scoring/instant.ts';
import { type Around, sequenceAround } from '../memories/sequence-around.ts';
import { scopeFilters } from '../memories/states-filter.ts';
import type { PresetRun } from './preset-run.ts';
import { recall } from './recall.ts';
import type { RecallAnswer, RecallHit } from './recall-request.ts';

const COUNT_MAX = 1000;
/** What the memories of a sequence have in common, where they have it; otherwise the type of the record. */
const KIND = 'content.metadata.type';
/** Names of the record's own time, which is indexed. */
const EVENT_TIME: ReadonlySet<string> = new Set(['timestamp', 'metadata.timestamp', 'event_time']);

/** A memory and those of its kind around it, in the order of time; the nearer to it the higher the score. */
export async function recallSequence(run: PresetRun, plan: SequencePlan, limit: number): Promise<RecallAnswer> {
  const { deps, request } = run;
  const { namespace, view } = request;
  const nowUs = deps.clock.nowUs();
  const [reference] = await deps.store.get({ namespace, ids: [plan.referenceId], view: 'basic', nowUs });
  // What the request's scope and its policies hide must not be shown by its id either.
  const taken = allOf([plan.filter, request.filter, ...(request.scope ? scopeFilters(request.scope) : [])]);
  if (!reference || (taken && !admits(taken, reference))) throw memoryNotFound(namespace, plan.referenceId);
  const filter = allOf([kindOf(reference), taken, validityFilter(request.validity, nowUs)]);
  const around: Around = {
    beforeCount: plan.beforeCount ?? COUNT_MAX,
    afterCount: plan.afterCount ?? COUNT_MAX,
    ...(plan.windowUs === undefined ? {} : { windowUs: plan.windowUs }),
    ...(filter ? { filter } : {}),
    view,
    nowUs,
  };
  const { before, after } = EVENT_TIME.has(plan.timePath)
    ? await sequenceAround(deps.store, reference, around)
    : await aroundByPath(run, reference, plan.timePath, around);
  const [middle] = await deps.store.get({ namespace, ids: [reference.id], view, nowUs });
  const members = [...before, middle ?? reference, ...after];
  const inOrder = members.map((memory, at) => hitOf(memory, Math.abs(at - before.length), request.explain));
  const keptIds = await idsKept(run, members, plan.keptFilter, nowUs);
  const kept = inOrder
    .filter(({ memory, score }) => keptIds.has(memory.id) && score >= (request.minScore ?? 0))
    .slice(0, limit);
  const hits = request.neighborCount > 0 ? await withNeighbors(run, kept) : kept;
  return { hits, lanes: ['filter'], degraded: [], candidateCount: members.length, revision: deps.store.revision };
}

/** The view asked for may leave out what the filter is about, so it is looked at again. */
async function idsKept(
  { deps, request: { namespace } }: PresetRun,
  members: readonly Memory[],
  filter: Filter | undefined,
  nowUs: Micros,
): Promise<ReadonlySet<string>> {
  const ids = members.map(({ id }) => id);
  if (!filter) return new Set(ids);
  const whole = await deps.store.get({ namespace, ids, view: 'basic', nowUs });
  return new Set(whole.flatMap((memory) => (memory && admits(filter, memory) ? [memory.id] : [])));
}

function kindOf(reference: Memory): Filter | undefined {
  const [kind] = valuesAt(placesOf(KIND), reference, () => parsedContent(reference.content));
  return typeof kind === 'string' ? entryFilter({ path: KIND, operator: 'equals', values: [kind] }) : undefined;
}

/** By a time inside the content, which no index has: everything of the kind is looked at. */
async function aroundByPath(
  run: PresetRun,
  reference: Memory,
  path: string,
  { beforeCount, afterCount, windowUs = 8e15, filter }: Around,
): Promise<{ before: Memory[]; after: Memory[] }> {
  const [value] = valuesAt(placesOf(path), reference, () => parsedContent(reference.content));
  const atUs = instantOfValue(value);
  if (atUs === undefined) return { before: [], after: [] };
  const side = async (fromUs: number, toUs: number, isFromExcluded: boolean, oldestFirst: boolean, count: number) => {
    if (count === 0) return [];
    const { deps, request, call } = run;
    const scoring = { kind: 'window', path, fromUs, isFromExcluded, toUs, oldestFirst } as const;
    const { hits } = await recall(deps, { ...request, limit: count + 1, scoring, ...(filter ? { filter } : {}) }, call);
    return hits.map(({ memory }) => memory).filter(({ id }) => id !== reference.id);
  };
  const before = await side(atUs - windowUs, atUs, false, false, beforeCount);
  const after = await side(atUs, atUs + windowUs, true, true, afterCount);
  return { before: before.slice(0, beforeCount).reverse(), after: after.slice(0, afterCount) };
}

/** The same hits, each with what stands around it in its own session. */
async function withNeighbors({ deps, request, call }: PresetRun, hits: readonly RecallHit[]): Promise<RecallHit[]> {
  if (hits.length === 0) return [];
  const { namespace, neighborCount, view } = request;
  const filter = fieldFilter('id', 'in', ...hits.map(({ memory }) => memory.id));
  const asked = { ...request, namespace, neighborCount, view, filter, limit: hits.length, validity: 'any' as const };
  const { minScore: _, scope: __, ...all } = asked;
  const answer = await recall(deps, all, call);
  const around = new Map(answer.hits.map((hit) => [hit.memory.id, hit]));
  return hits.map((hit) => {
    const { before = [], after = [] } = around.get(hit.memory.id) ?? {};
    return { ...hit, before, after };
  });
}

function hitOf(memory: Memory, distance: number, explain: boolean): RecallHit {
  const score = 1 / (1 + distance);
  const component = { name: distance === 0 ? 'reference' : 'sequence', value: distance, contribution: score, rank: 0 };
  return {
    memory,
    score,
    relevance: 1,
    components: explain ? [component] : [],
    features: [],
    matchedTerms: [],
    isRestored: false,
    before: [],
    after: [],
  };
}
