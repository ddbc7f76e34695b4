import {
  RecallLane as LaneNumber,
  type RecallHit as RecallHitMessage,
  type RecallRequest as RecallRequestMessage,
  type RecallResponse,
} from '../../../gen/ts/mneme/v1/recall_service.ts';
import { isBlank } from '../../memory/blank-text.ts';
import { derivedTextOf } from '../../memory/derive-text.ts';
import type { RecallAnswer, RecallExample, RecallHit, RecallRequest } from '../../operations/recall/recall-request.ts';
import type { RecallLane, RecallWeights } from '../../recall/recall-engine.ts';
import { RequestChecks } from '../edge/request-checks.ts';
import { memoryName } from '../edge/resource-names.ts';
import { durationOf, instantOf } from '../edge/time-messages.ts';
import { embeddingOf } from '../memories/embedding-messages.ts';
import { givenFilter } from '../memories/filter-messages.ts';
import { memoryContentOf, scopeOf, textOf } from '../memories/memory-fields.ts';
import { memoryMessage, VIEWS } from '../memories/memory-messages.ts';
import { recalledValidityOf } from '../memories/validity-messages.ts';
import { tiersOf } from '../tiers/tier-messages.ts';
import { nearPlaceOf, nearTimeOf, timeWindowOf } from './nearness-messages.ts';
import { presetOf } from './preset-messages.ts';

const TEXT_BYTES = 8192;
const LIMIT_DEFAULT = 10;
const LIMIT_MAX = 1000;
const NEIGHBORS_MAX = 5;
const TOKEN_BUDGET_MAX = 100_000;
const HALF_LIFE_DEFAULT_US = 7 * 86_400_000_000;
const HALF_LIFE_DAYS_MAX = 36_500;
/** By the number of `RankingMode`. */
const RANKINGS = ['learned', 'learned', 'fusion'] as const;
/** By the number of `ScopeView`. */
const IS_INHERITED = [true, true, false] as const;

export function recallRequestOf(message: RecallRequestMessage): RecallRequest {
  const checks = new RequestChecks();
  const namespace = checks.namespace('parent', message.parent);
  const { embedding, scope, minScore, minRelevance, minSimilarity, recencyHalfLife, referenceTime } = message;
  const example = exampleOf(checks, namespace, message);
  const similarToId = similarOf(checks, namespace, message.similarTo);
  const isNear = message.nearTime ?? message.nearPlace ?? message.timeWindow;
  if (
    message.text === '' &&
    !embedding &&
    !example &&
    similarToId === undefined &&
    !message.filter &&
    message.filterText === '' &&
    !message.preset &&
    !isNear
  ) {
    checks.add(
      'text',
      'must be given, or one of embedding, example, similar_to, filter, near_time, near_place, time_window and preset',
    );
  }
  if (isBlank(message.text)) checks.add('text', 'must have a character that can be seen, or be empty');
  const preset = presetOf(checks, message);
  const tiers = tiersOf(checks, 'tiers', message.tiers);
  const request = {
    namespace,
    text: checks.text('text', message.text, TEXT_BYTES),
    ...(embedding ? { embedding: embeddingOf(checks, 'embedding', embedding) } : {}),
    ...(example ? { example } : {}),
    ...(similarToId === undefined ? {} : { similarToId }),
    ...(scope ? { scope: scopeOf(checks, 'scope', scope) } : {}),
    ...(preset ? { preset } : {}),
    limit: limitOf(checks, message.limit, preset ? 0 : LIMIT_DEFAULT),
    ...(minScore === undefined ? {} : { minScore: checks.finite('min_score', minScore) }),
    ...(minRelevance === undefined ? {} : { minRelevance: checks.within('min_relevance', minRelevance, 0, 1) }),
    ...(minSimilarity === undefined ? {} : { minSimilarity: checks.within('min_similarity', minSimilarity, -1, 1) }),
    weights: weightsOf(checks, message),
    halfLifeUs: recencyHalfLife
      ? durationOf(checks, 'recency_half_life', recencyHalfLife, HALF_LIFE_DAYS_MAX)
      : HALF_LIFE_DEFAULT_US,
    ...(referenceTime ? { referenceUs: instantOf(checks, 'reference_time', referenceTime) } : {}),
    validity: recalledValidityOf(checks, message),
    explain: message.explain,
    view: checks.choice('view', message.view, VIEWS),
    touch: message.touch,
    focus: message.focus,
    ...(tiers ? { tiers } : {}),
    minRevision: checks.wholeWithin('min_revision', message.minRevision),
    neighborCount: checks.within('neighbor_count', message.neighborCount, 0, NEIGHBORS_MAX),
    exact: message.exact,
    isInherited: checks.choice('scope_view', message.scopeView, IS_INHERITED),
    ranking: checks.choice('ranking', message.ranking, RANKINGS),
    ...diversityOf(checks, message),
    ...familiesOf(checks, message),
  };
  checks.finish();
  const filter = givenFilter(message);
  return filter ? { ...request, filter } : request;
}

export function recallResponse(namespace: string, answer: RecallAnswer): RecallResponse {
  const { hits, revision, lanes, degraded, candidateCount, tokenCount = 0 } = answer;
  const { passages = [], promoted = [], damagedIds = [] } = answer;
  return {
    hits: hits.map(hitMessage),
    revision: BigInt(revision),
    lanes: lanes.map((lane) => LANES[lane]),
    degraded: [...degraded],
    candidateCount,
    passages: passages.map(({ memories, ...passage }) => ({
      ...passage,
      names: memories.map(({ id }) => memoryName(namespace, id)),
    })),
    tokenCount,
    promoted: promoted.map(({ id }) => memoryName(namespace, id)),
    damaged: damagedIds.map((id) => memoryName(namespace, id)),
  };
}

export function hitMessage(hit: RecallHit): RecallHitMessage {
  return {
    memory: memoryMessage(hit.memory),
    score: hit.score,
    relevance: hit.relevance,
    components: [...hit.components],
    features: hit.features.map((feature) => ({ ...feature, rank: 0 })),
    matchedTerms: [...hit.matchedTerms],
    restored: hit.isRestored,
    passage: hit.passage,
    before: hit.before.map(memoryMessage),
    after: hit.after.map(memoryMessage),
  };
}

const LANES: Readonly<Record<RecallLane, LaneNumber>> = {
  keyword: LaneNumber.RECALL_LANE_KEYWORD,
  vector: LaneNumber.RECALL_LANE_VECTOR,
  time: LaneNumber.RECALL_LANE_TIME,
  place: LaneNumber.RECALL_LANE_PLACE,
  filter: LaneNumber.RECALL_LANE_FILTER,
};

/** A preset has a default limit of its own. */
function limitOf(checks: RequestChecks, limit: number, fallback: number): number {
  return limit === 0 ? fallback : checks.within('limit', limit, 1, LIMIT_MAX);
}

/** Of an example only the text and the content are looked for. */
function exampleOf(checks: RequestChecks, namespace: string, message: RecallRequestMessage): RecallExample | undefined {
  const { example: memory } = message;
  if (!memory) return undefined;
  const input = { checks, field: 'example', namespace, memory };
  const content = memoryContentOf(input);
  if (memory.text === '' && !content) checks.add('example', 'must have a text or a content');
  if (content && memory.text === '' && !checks.hasFound) derivedTextOf(content, 'example.content.data');
  return { text: textOf(input), ...(content ? { content } : {}) };
}

function similarOf(checks: RequestChecks, namespace: string, name: string): string | undefined {
  if (name === '') return undefined;
  const memory = checks.memoryName('similar_to', name);
  if (memory.namespace !== namespace) checks.add('similar_to', `must be a memory of namespaces/${namespace}`);
  return memory.id;
}

const PARTS = ['keyword', 'vector', 'recency', 'importance', 'session', 'time', 'place'] as const;

function weightsOf(checks: RequestChecks, message: RecallRequestMessage): Partial<RecallWeights> {
  const weights: { -readonly [K in keyof RecallWeights]?: number } = {};
  for (const part of PARTS) {
    const weight = message.weights?.[part];
    if (weight !== undefined) weights[part] = checks.within(`weights.${part}`, weight, 0, Number.MAX_VALUE);
  }
  const applies = (part: (typeof PARTS)[number]) =>
    part === 'time' ? message.nearTime !== undefined : part !== 'place' || message.nearPlace !== undefined;
  if (PARTS.filter(applies).every((part) => weights[part] === 0)) checks.add('weights', 'must not all be 0');
  return weights;
}

function diversityOf(checks: RequestChecks, { diversity, preset }: RecallRequestMessage): { diversity?: number } {
  if (diversity !== 0 && preset) checks.add('diversity', 'must be absent beside a preset, whose order is its own');
  return diversity === 0 ? {} : { diversity: checks.within('diversity', diversity, 0, 1) };
}

/** Time, place and the budget of tokens. */
function familiesOf(checks: RequestChecks, message: RecallRequestMessage) {
  const { nearTime, nearPlace, timeWindow, tokenBudget, view } = message;
  if (tokenBudget !== 0 && VIEWS[view] === 'metadata') {
    checks.add('token_budget', 'must be absent with MEMORY_VIEW_METADATA, which leaves the texts out');
  }
  return {
    ...(nearTime ? { nearTime: nearTimeOf(checks, 'near_time', nearTime) } : {}),
    ...(nearPlace ? { nearPlace: nearPlaceOf(checks, 'near_place', nearPlace) } : {}),
    ...(timeWindow ? { timeWindow: timeWindowOf(checks, 'time_window', timeWindow) } : {}),
    ...(tokenBudget === 0 ? {} : { tokenBudget: checks.within('token_budget', tokenBudget, 1, TOKEN_BUDGET_MAX) }),
  };
}
