import type { Call } from '../../../memory/call.ts';
import { parsedContent } from '../../../memory/derive-text.ts';
import { invalidFields, MnemeError, memoryNotFound } from '../../../memory/errors.ts';
import { admits } from '../../../memory/evaluate-filter.ts';
import type { Filter } from '../../../memory/filter.ts';
import type { Memory, Micros } from '../../../memory/memory.ts';
import { validityFilter } from '../../../memory/validity.ts';
import { allOf, entryFilter, fieldFilter } from '../../../search/presets/common-parameters.ts';
import type { CuePlan, FusedPlan, Plan, ScoredPlan, SequencePlan } from '../../../search/presets/preset.ts';
import { type PresetRequest, resolvePreset } from '../../../search/presets/presets.ts';
import { placesOf, valuesAt } from '../../../search/scoring/entry-place.ts';
import { instantOfValue } from '../../../search/scoring/scoring.ts';
import { type Around, sequenceAround } from '../memories/get-sequence.ts';
import { scopeFilters } from '../memories/list-memories.ts';
import { waitForRevision } from '../memories/wait-for-revision.ts';
import { type RecallDeps, recall } from './recall.ts';
import { type RecallAnswer, type RecallHit, type RecallRequest, requireVectors } from './recall-request.ts';

const LIMIT_DEFAULT = 10;
/** Factor of the limit of each part of a compound plan. */
const DEPTH = 2;

/** Recalls in the form that the preset names. */
export async function recallPreset(
  deps: RecallDeps,
  request: RecallRequest,
  preset: PresetRequest,
  call: Call,
): Promise<RecallAnswer> {
  const nowUs = preset.nowUs ?? deps.clock.nowUs();
  const plan = resolvePreset(preset, nowUs);
  checkNearness(preset.name, plan, request);
  await waitForRevision(deps.store, request.minRevision, call);
  // A fused answer, or one in the order of a sequence, has exactly its hits and none after them.
  const isRanked = plan.kind === 'cue' || plan.kind === 'scored';
  const run: PresetRun = { deps, request: isRanked ? request : { ...request, isPerTier: false }, call };
  return runPlan(run, plan, limitOf(plan, request.limit));
}

/** Nearness adds to the score of lanes; a preset that scores memories individually has no lanes. */
function checkNearness(name: string, plan: Plan, { nearTime, nearPlace }: RecallRequest): void {
  if (plan.kind === 'nothing' || (plan.kind === 'cue' && !plan.scoredByCosine)) return;
  const provided = [nearTime ? ['near_time'] : [], nearPlace ? ['near_place'] : []].flat();
  if (provided.length === 0) return;
  const description = `must be absent with the preset "${name}", which scores memories individually`;
  throw invalidFields(provided.map((field) => ({ field, description })));
}

function limitOf(
  { limitDefault = LIMIT_DEFAULT, limitMax = Number.POSITIVE_INFINITY }: Plan,
  provided: number,
): number {
  return Math.min(provided === 0 ? limitDefault : provided, limitMax);
}

async function runPlan(run: PresetRun, plan: Plan, limit: number): Promise<RecallAnswer> {
  switch (plan.kind) {
    case 'cue':
      return runCue(run, plan, limit);
    case 'scored':
      return runScored(run, plan, limit);
    case 'sequence':
      return recallSequence(run, plan, limit);
    case 'fused': {
      const answers = [];
      for (const { plan: part } of plan.parts) {
        answers.push(await runPlan(run, part, limitOf(part, part.limitDefault === undefined ? limit * DEPTH : 0)));
      }
      return fuse(plan, answers, { limit, minScore: run.request.minScore, explain: run.request.explain });
    }
    case 'nothing':
      return nothing(run);
  }
}

/** The lane's hits; a cue without a vector, such as one without words, has none. */
async function runCue(run: PresetRun, plan: CuePlan, limit: number): Promise<RecallAnswer> {
  const { deps, request, call } = run;
  const { embeddingModel, embeddingDimension } = await deps.store.getNamespace(request.namespace);
  if (plan.vector && embeddingDimension === 0) await requireVectors(deps, request.namespace);
  const asked: RecallRequest = {
    ...request,
    limit,
    text: plan.text ?? '',
    ...(plan.state ? { state: plan.state } : {}),
    weights: plan.weights,
    explain: request.explain || plan.scoredByCosine,
    ...filtered(request, plan.filter),
    ...(plan.vector ? { embedding: { model: embeddingModel, values: Float32Array.from(plan.vector) } } : {}),
    ...(plan.similarToId === undefined ? {} : { similarToId: plan.similarToId }),
    ...(plan.minSimilarity === undefined ? {} : { minSimilarity: plan.minSimilarity }),
  };
  try {
    const answer = await recall(deps, asked, call);
    return plan.scoredByCosine ? scoredByCosine(answer, request) : answer;
  } catch (error) {
    const isWithoutVector = error instanceof MnemeError && error.reason === 'LANE_UNAVAILABLE';
    const { isDerived, model, dimension } = deps.embedder;
    const isOfModel = embeddingModel === model && (dimension === 0 || dimension === embeddingDimension);
    const isSameSpace = isDerived || embeddingModel === '' || isOfModel;
    if (!isWithoutVector || !isSameSpace || deps.embedder.kind === 'none') {
      throw inVectorField(error, plan.vectorField);
    }
    return nothing(run);
  }
}

/** A vector that does not fit is reported under the field that the caller set. */
function inVectorField(error: unknown, field: string | undefined): unknown {
  const isUnfit = error instanceof MnemeError && /^(MODEL|DIMENSION)_MISMATCH$/.test(error.reason);
  if (!isUnfit || field === undefined) return error;
  const { reason, metadata, violations } = error;
  const description = violations[0]?.description ?? error.message;
  return new MnemeError(reason, `${field}: ${description}`, { metadata, violations: [{ field, description }] });
}

function scoredByCosine(answer: RecallAnswer, { explain }: RecallRequest): RecallAnswer {
  const rescored = (hit: RecallHit): RecallHit => {
    const named = (wanted: string) => hit.components.find(({ name }) => name === wanted);
    const found = named('state') ?? named('vector');
    const score = found?.value ?? hit.score;
    return { ...hit, score, components: explain && found ? [{ ...found, contribution: score }] : [] };
  };
  const { hits, further } = answer;
  return { ...answer, hits: hits.map(rescored), ...(further ? { further: further.map(rescored) } : {}) };
}

function runScored({ deps, request, call }: PresetRun, plan: ScoredPlan, limit: number): Promise<RecallAnswer> {
  if (plan.needsFilter && !request.filter) {
    throw new MnemeError('FIELD_INVALID', 'filter: is required by this preset', {
      violations: [{ field: 'filter', description: 'is required by this preset' }],
    });
  }
  return recall(deps, { ...request, limit, scoring: plan.scoring, ...filtered(request, plan.filter) }, call);
}

/** The preset's condition together with the request's own. */
export function filtered(request: RecallRequest, filter: Filter | undefined): { readonly filter?: Filter } {
  if (!filter) return {};
  return { filter: request.filter ? { kind: 'all', filters: [request.filter, filter] } : filter };
}

async function nothing({ deps, request }: PresetRun): Promise<RecallAnswer> {
  await deps.store.getNamespace(request.namespace);
  return { hits: [], lanes: [], degraded: [], candidateCount: 0, revision: deps.store.revision };
}

interface Wish {
  readonly limit: number;
  readonly minScore: number | undefined;
  readonly explain: boolean;
}

/** Fuses the answers of a plan's parts: the scores of a memory found by several parts add up. */
function fuse(plan: FusedPlan, answers: readonly RecallAnswer[], wish: Wish): RecallAnswer {
  const found = new Map<string, RecallHit>();
  for (const [at, { name, weight }] of plan.parts.entries()) {
    const hits = answers[at]?.hits ?? [];
    const scale = scaleOf(hits);
    for (const [place, hit] of hits.entries()) {
      const value = scale(hit.score) * (1 - plan.placeShare) + (1 - place / hits.length) * plan.placeShare;
      const component = { name, value: hit.score, contribution: weight * value, rank: place + 1 };
      const known = found.get(hit.memory.id);
      const passage = known?.passage ?? hit.passage;
      found.set(hit.memory.id, {
        ...hit,
        ...(passage && { passage }),
        score: (known?.score ?? 0) + component.contribution,
        relevance: Math.max(known?.relevance ?? 0, hit.relevance),
        components: wish.explain ? [...(known?.components ?? []), component] : [],
        matchedTerms: [...new Set([...(known?.matchedTerms ?? []), ...hit.matchedTerms])],
      });
    }
  }
  const hits = [...found.values()]
    .filter(({ score }) => score >= (wish.minScore ?? Number.NEGATIVE_INFINITY))
    .sort(
      (a, b) => b.score - a.score || b.memory.eventAtUs - a.memory.eventAtUs || (a.memory.id < b.memory.id ? -1 : 1),
    );
  const ends = answers.map(({ untilUs }) => untilUs);
  const isBounded = ends.every((untilUs) => untilUs !== undefined);
  return {
    hits: hits.slice(0, wish.limit),
    ...(isBounded ? { untilUs: Math.min(...ends) } : {}),
    lanes: [...new Set(answers.flatMap(({ lanes }) => lanes))],
    degraded: answers.flatMap(({ degraded }) => degraded),
    candidateCount: found.size,
    damagedIds: [...new Set(answers.flatMap(({ damagedIds = [] }) => damagedIds))],
    goneIds: [...new Set(answers.flatMap(({ goneIds = [] }) => goneIds))],
    revision: Math.min(...answers.map(({ revision }) => revision)),
  };
}

/** Leaves scores of 0 to 1 as they are and brings others there. */
function scaleOf(hits: readonly RecallHit[]): (score: number) => number {
  const scores = hits.map(({ score }) => score);
  const [least, most] = [Math.min(...scores), Math.max(...scores)];
  if (least >= 0 && most <= 1) return (score) => score;
  return most === least ? () => 1 : (score) => (score - least) / (most - least);
}

const COUNT_MAX = 1000;
/** Path of the common kind of a sequence's memories; where absent, the record's type is used. */
const KIND = 'content.metadata.type';
/** Names of the record's own time, which is indexed. */
const EVENT_TIME: ReadonlySet<string> = new Set(['timestamp', 'metadata.timestamp', 'event_time']);

/** A memory and the memories of its kind around it, in the order of time; the nearer to it the higher the score. */
async function recallSequence(run: PresetRun, plan: SequencePlan, limit: number): Promise<RecallAnswer> {
  const { deps, request } = run;
  const { namespace, view } = request;
  const nowUs = deps.clock.nowUs();
  const [reference] = await deps.store.get({ namespace, ids: [plan.referenceId], view: 'basic', nowUs });
  // A memory hidden by the request's scope and its policies must not be shown by its id either.
  const taken = allOf([plan.filter, request.filter, ...(request.scope ? scopeFilters(request.scope) : [])]);
  if (!reference || (taken && !admits(taken, reference))) throw memoryNotFound(namespace, plan.referenceId);
  const filter = allOf([kindOf(reference), taken, validityFilter(request.validity, nowUs)]);
  const around: Around = {
    beforeCount: plan.beforeCount ?? COUNT_MAX,
    afterCount: plan.afterCount ?? COUNT_MAX,
    windowUs: plan.windowUs,
    filter,
    view,
    nowUs,
  };
  const { before, after } = EVENT_TIME.has(plan.timePath)
    ? await sequenceAround(deps.view, reference, around)
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

/** The requested view may omit fields that the filter tests, so the memories are read again. */
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

/** Ordered by a time inside the content, which is not indexed: every memory of the kind is read. */
async function aroundByPath(
  run: PresetRun,
  reference: Memory,
  path: string,
  { beforeCount, afterCount, windowUs = Number.POSITIVE_INFINITY, filter }: Around,
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

/** The same hits, each with its neighbours in its session. */
async function withNeighbors({ deps, request, call }: PresetRun, hits: readonly RecallHit[]): Promise<RecallHit[]> {
  if (hits.length === 0) return [];
  const { namespace, neighborCount, view } = request;
  const filter = fieldFilter('id', 'in', ...hits.map(({ memory }) => memory.id));
  const asked = {
    ...request,
    namespace,
    neighborCount,
    view,
    filter,
    limit: hits.length,
    validity: 'any' as const,
    isOncePerText: false,
  };
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
    equalCount: 0,
    components: explain ? [component] : [],
    features: [],
    matchedTerms: [],
    isRestored: false,
    before: [],
    after: [],
  };
}

/** Context of one run of a preset. */
interface PresetRun {
  readonly deps: RecallDeps;
  /** As received, except that retrievals are counted only after the run. */
  readonly request: RecallRequest;
  readonly call: Call;
}
