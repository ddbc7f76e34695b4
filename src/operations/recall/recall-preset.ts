import type { Call } from '../../memory/call.ts';
import { invalidFields, MnemeError } from '../../memory/errors.ts';
import type { Filter } from '../../memory/filter.ts';
import type { CuePlan, Plan, ScoredPlan } from '../../recall/presets/preset.ts';
import { type PresetRequest, resolvePreset } from '../../recall/presets/resolve-preset.ts';
import { waitForRevision } from '../memories/wait-for-revision.ts';
import { fuse } from './fuse-answers.ts';
import type { PresetRun } from './preset-run.ts';
import { type RecallDeps, recall } from './recall.ts';
import type { RecallAnswer, RecallHit, RecallRequest } from './recall-request.ts';
import { recallSequence } from './recall-sequence.ts';

const LIMIT_DEFAULT = 10;
/** How many more hits each part of several gives than are asked for. */
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
  // What is fused, or told in the order of a sequence, has one order of so many and nothing behind it.
  const isRanked = plan.kind === 'cue' || plan.kind === 'scored';
  const run: PresetRun = { deps, request: isRanked ? request : { ...request, isPerTier: false }, call };
  return runPlan(run, plan, limitOf(plan, request.limit));
}

/** Nearness adds to the score of lanes; a form that scores memories by itself has none for it to add to. */
function checkNearness(name: string, plan: Plan, { nearTime, nearPlace }: RecallRequest): void {
  if (plan.kind === 'nothing' || (plan.kind === 'cue' && !plan.scoredByCosine)) return;
  const given = [nearTime ? ['near_time'] : [], nearPlace ? ['near_place'] : []].flat();
  if (given.length === 0) return;
  const description = `must be absent beside the preset "${name}", which scores memories by itself`;
  throw invalidFields(given.map((field) => ({ field, description })));
}

function limitOf({ limitDefault = LIMIT_DEFAULT, limitMax = Number.POSITIVE_INFINITY }: Plan, given: number): number {
  return Math.min(given === 0 ? limitDefault : given, limitMax);
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

/** The lane's hits; a cue that has no vector, such as one without words, is near nothing. */
async function runCue(run: PresetRun, plan: CuePlan, limit: number): Promise<RecallAnswer> {
  const { deps, request, call } = run;
  const { embeddingModel, embeddingDimension } = await deps.store.getNamespace(request.namespace);
  const asked: RecallRequest = {
    ...request,
    limit,
    text: plan.text ?? '',
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

/** A vector that does not fit is told of where the caller has it. */
function inVectorField(error: unknown, field: string | undefined): unknown {
  const isUnfit = error instanceof MnemeError && /^(MODEL|DIMENSION)_MISMATCH$/.test(error.reason);
  if (!isUnfit || field === undefined) return error;
  const { reason, metadata, violations } = error;
  const description = violations[0]?.description ?? error.message;
  return new MnemeError(reason, `${field}: ${description}`, { metadata, violations: [{ field, description }] });
}

function scoredByCosine(answer: RecallAnswer, { explain }: RecallRequest): RecallAnswer {
  const rescored = (hit: RecallHit): RecallHit => {
    const vector = hit.components.find(({ name }) => name === 'vector');
    const score = vector?.value ?? hit.score;
    return { ...hit, score, components: explain && vector ? [{ ...vector, contribution: score }] : [] };
  };
  const { hits, further } = answer;
  return { ...answer, hits: hits.map(rescored), ...(further ? { further: further.map(rescored) } : {}) };
}

function runScored({ deps, request, call }: PresetRun, plan: ScoredPlan, limit: number): Promise<RecallAnswer> {
  if (plan.needsFilter && !request.filter) {
    throw new MnemeError('FIELD_INVALID', 'filter: must be given with this preset', {
      violations: [{ field: 'filter', description: 'must be given with this preset' }],
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
