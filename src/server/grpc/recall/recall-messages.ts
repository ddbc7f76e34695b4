import {
  RecallLane as LaneNumber,
  type NamedPlace,
  type NearPlace as NearPlaceMessage,
  type NearTime as NearTimeMessage,
  CalendarPeriod as PeriodNumber,
  type RecallHit as RecallHitMessage,
  type RecallRequest as RecallRequestMessage,
  RecallResponse,
  type TimeWindow as TimeWindowMessage,
} from '../../../../gen/ts/mneme/v1/recall_service.ts';
import { derivedTextOf, endsWithin, isBlank } from '../../../memory/derive-text.ts';
import { withoutKeys } from '../../../memory/facts/key-filter.ts';
import { MEMORY_LIMITS } from '../../../memory/limits.ts';
import { trustOf } from '../../../memory/memory-trust.ts';
import type { NearPlace, NearTime, PlaceNames } from '../../../memory/place.ts';
import { isTimeZone } from '../../../memory/time/zone.ts';
import type { CalendarPeriod, TimeWindow } from '../../../memory/time-window.ts';
import type { RecallLane, RecallWeights } from '../../../search/recall/recall-engine.ts';
import {
  JUDGED_BYTES,
  QUESTION_BYTES,
  type RecallAnswer,
  type RecallExample,
  type RecallHit,
  type RecallRequest,
} from '../../operations/recall/recall-request.ts';
import type { Codec } from '../edge/codec.ts';
import { durationOf, instantOf, memoryName, RequestChecks } from '../edge/request-checks.ts';
import { TRUST_NUMBERS } from '../knowledge/trust-numbers.ts';
import { recalledValidityOf } from '../memories/draft-messages.ts';
import { givenFilter } from '../memories/filter-messages.ts';
import { embeddingOf, geoPointOf, memoryContentOf, pointOf, scopeOf, textOf } from '../memories/memory-fields.ts';
import { memoryMessage, VIEWS } from '../memories/memory-messages.ts';
import { tiersOf } from '../tiers/tier-messages.ts';
import { presetOf } from './preset-messages.ts';

const TEXT_BYTES = 1_048_576;
const LIMIT_DEFAULT = 10;
const LIMIT_MAX = 1000;
const NEIGHBORS_MAX = 5;
const TOKEN_BUDGET_MAX = 100_000;
const HALF_LIFE_DEFAULT_US = 7 * 86_400_000_000;
const HALF_LIFE_DAYS_MAX = 36_500;
/** By the number of `RankingMode`. */
const RANKINGS = ['learned', 'learned', 'fusion'] as const;
/** By the number of `RecallGrouping`. */
const IS_ONCE_PER_SESSION = [false, true] as const;
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
      'is required, or one of embedding, example, similar_to, filter, near_time, near_place, time_window and preset',
    );
  }
  if (isBlank(message.text)) checks.add('text', 'must contain a visible character, or be empty');
  const preset = presetOf(checks, message);
  const weights = weightsOf(checks, message);
  const tiers = tiersOf(checks, 'tiers', message.tiers);
  const request = {
    namespace,
    ...questionOf(checks, 'text', message.text),
    embedding: embedding && embeddingOf(checks, 'embedding', embedding),
    example,
    similarToId,
    scope: scope && scopeOf(checks, 'scope', scope),
    preset,
    limit: limitOf(checks, message.limit, preset ? 0 : LIMIT_DEFAULT),
    // A question of a time or a place, or of all that was ever valid, is about each occurrence; one by a vector alone is a
    // search of a vector store, which has an entry for each embedding.
    isOncePerText: isNear === undefined && !message.includeInvalid && !(embedding && message.text === ''),
    minScore: minScore === undefined ? undefined : checks.finite('min_score', minScore),
    minRelevance: minRelevance === undefined ? undefined : checks.within('min_relevance', minRelevance, 0, 1),
    isRelevantOnly: minRelevance === undefined && !preset && weights.keyword !== 0 && isJudged(message.text),
    minSimilarity: minSimilarity === undefined ? undefined : checks.within('min_similarity', minSimilarity, -1, 1),
    weights,
    halfLifeUs: recencyHalfLife
      ? durationOf(checks, 'recency_half_life', recencyHalfLife, HALF_LIFE_DAYS_MAX)
      : HALF_LIFE_DEFAULT_US,
    referenceUs: referenceTime && instantOf(checks, 'reference_time', referenceTime),
    timeZone: timeZoneOf(checks, 'time_zone', message.timeZone),
    validity: recalledValidityOf(checks, message),
    explain: message.explain,
    view: checks.choice('view', message.view, VIEWS),
    touch: message.touch,
    focus: message.focus,
    tiers,
    minRevision: checks.wholeWithin('min_revision', message.minRevision),
    neighborCount: checks.within('neighbor_count', message.neighborCount, 0, NEIGHBORS_MAX),
    exact: message.exact,
    isInherited: checks.choice('scope_view', message.scopeView, IS_INHERITED),
    ranking: checks.choice('ranking', message.ranking, RANKINGS),
    isOncePerSession: onceOf(checks, message),
    ...diversityOf(checks, message),
    ...familiesOf(checks, message),
  };
  checks.finish();
  const filter = withoutKeys(givenFilter(message), request.validity);
  return filter ? { ...request, filter } : request;
}

/** Only of a question the relevance is a calibrated probability. */
function isJudged(text: string): boolean {
  return text !== '' && Buffer.byteLength(text) <= JUDGED_BYTES;
}

/** A text that is too long to be searched for as a whole is searched for in part. */
export function questionOf(
  checks: RequestChecks,
  field: string,
  whole: string,
): Pick<RecallRequest, 'text' | 'cutTextBytes'> {
  checks.text(field, whole, TEXT_BYTES);
  const text = endsWithin(whole, QUESTION_BYTES);
  return text === whole ? { text } : { text, cutTextBytes: Buffer.byteLength(whole) };
}

/** A response whose hits may be encoded already. */
export interface PartlyEncoded extends RecallResponse {
  readonly encodedHits?: Uint8Array;
}

export const PARTLY_ENCODED: Codec<PartlyEncoded> = {
  encode(message, writer) {
    // `hits` is the first field of the message.
    if (message.encodedHits) writer.raw(message.encodedHits);
    return RecallResponse.encode(message, writer);
  },
  decode: (reader) => RecallResponse.decode(reader),
};

export function recallResponse(namespace: string, answer: RecallAnswer): PartlyEncoded {
  const { hits, revision, lanes, degraded, candidateCount, lowRelevanceCount = 0, tokenCount = 0 } = answer;
  const { passages = [], promoted = [], damagedIds = [], encodedHits } = answer;
  return {
    encodedHits,
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
    lowRelevanceCount,
  };
}

export function hitMessage(hit: RecallHit): RecallHitMessage {
  return {
    memory: memoryMessage(hit.memory),
    score: hit.score,
    relevance: hit.relevance,
    equalCount: hit.equalCount,
    outdatedBy: hit.outdatedBy === undefined ? '' : memoryName(hit.memory.namespace, hit.outdatedBy),
    components: [...hit.components],
    features: hit.features.map((feature) => ({ ...feature, rank: 0 })),
    matchedTerms: [...hit.matchedTerms],
    restored: hit.isRestored,
    trust: TRUST_NUMBERS[hit.trust ?? trustOf(hit.memory)],
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

/** A preset has its own default limit. */
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
  return { text: textOf(input), content };
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

function onceOf(checks: RequestChecks, { groupBy, preset }: RecallRequestMessage): boolean {
  const isOnce = checks.choice('group_by', groupBy, IS_ONCE_PER_SESSION);
  if (isOnce && preset) checks.add('group_by', 'must be absent with a preset, which has its own hits');
  return isOnce;
}

function diversityOf(checks: RequestChecks, { diversity, preset }: RecallRequestMessage): { diversity?: number } {
  if (diversity !== 0 && preset) checks.add('diversity', 'must be absent with a preset, which has its own order');
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

const DAYS_MAX = 36_500;
const TIME_SCALE_DEFAULT_US = 86_400_000_000;
const STEP_SCALE_DEFAULT = 10;
const PERIODS_AGO_MAX = 10_000;

const PERIODS: Readonly<Record<number, CalendarPeriod>> = {
  [PeriodNumber.CALENDAR_PERIOD_DAY]: 'day',
  [PeriodNumber.CALENDAR_PERIOD_WEEK]: 'week',
  [PeriodNumber.CALENDAR_PERIOD_MONTH]: 'month',
  [PeriodNumber.CALENDAR_PERIOD_YEAR]: 'year',
};

function nearTimeOf(checks: RequestChecks, field: string, message: NearTimeMessage): NearTime {
  const { origin, timeScale, stepScale } = message;
  if (origin?.$case === 'step') {
    if (timeScale) checks.add(`${field}.time_scale`, 'must be absent with step');
    const step = checks.wholeWithin(`${field}.step`, origin.value);
    return { kind: 'step', step, scale: scaleOf(checks, `${field}.step_scale`, stepScale ?? STEP_SCALE_DEFAULT) };
  }
  if (stepScale !== undefined) checks.add(`${field}.step_scale`, 'must be absent with time');
  if (!origin) checks.add(field, 'must have one of time and step');
  return {
    kind: 'time',
    atUs: origin ? instantOf(checks, `${field}.time`, origin.value) : 0,
    scaleUs: timeScale ? durationOf(checks, `${field}.time_scale`, timeScale, DAYS_MAX) : TIME_SCALE_DEFAULT_US,
  };
}

function nearPlaceOf(checks: RequestChecks, field: string, { origin, scale }: NearPlaceMessage): NearPlace {
  if (origin?.$case === 'named') {
    if (scale !== 0) checks.add(`${field}.scale`, 'must be absent with named');
    return { kind: 'named', names: placeNamesOf(checks, `${field}.named`, origin.value) };
  }
  const distance = scaleOf(checks, `${field}.scale`, scale);
  if (origin?.$case === 'geo') {
    return { kind: 'geo', geo: geoPointOf(checks, `${field}.geo`, origin.value), scaleM: distance };
  }
  if (!origin) checks.add(field, 'must have one of point, geo and named');
  const point = origin ? pointOf(checks, `${field}.point`, origin.value) : { x: 0, y: 0 };
  return { kind: 'point', point, scale: distance };
}

function placeNamesOf(checks: RequestChecks, field: string, message: NamedPlace): PlaceNames {
  const name = (part: keyof PlaceNames): string =>
    checks.text(`${field}.${part}`, message[part], MEMORY_LIMITS.namePartBytes);
  const names = { location: name('location'), room: name('room'), region: name('region') };
  if (Object.values(names).every((one) => one === '')) checks.add(field, 'must have one of location, room and region');
  return names;
}

function timeWindowOf(checks: RequestChecks, field: string, message: TimeWindowMessage): TimeWindow {
  const { last, period, periodsAgo, timeZone, startTime, endTime } = message;
  const isSet = startTime !== undefined || endTime !== undefined;
  const isOfCalendar = period !== PeriodNumber.CALENDAR_PERIOD_UNSPECIFIED;
  if (Number(isSet) + Number(isOfCalendar) + Number(last !== undefined) !== 1) {
    checks.add(field, 'must have exactly one of last, period, and start_time with end_time');
  }
  if (!isOfCalendar && periodsAgo !== 0) checks.add(`${field}.periods_ago`, 'must be absent without period');
  if (!isOfCalendar && timeZone !== '') checks.add(`${field}.time_zone`, 'must be absent without period');
  if (last) return { kind: 'last', spanUs: durationOf(checks, `${field}.last`, last, DAYS_MAX) };
  if (isOfCalendar) return periodOf(checks, field, message);
  const from = startTime && instantOf(checks, `${field}.start_time`, startTime);
  const until = endTime && instantOf(checks, `${field}.end_time`, endTime);
  if (from !== undefined && until !== undefined && from >= until) {
    checks.add(`${field}.end_time`, 'must be after start_time');
  }
  return {
    kind: 'provided',
    fromUs: from,
    untilUs: until,
  };
}

/** `undefined` for an absent one. */
export function timeZoneOf(checks: RequestChecks, field: string, name: string): string | undefined {
  if (name === '') return undefined;
  if (isTimeZone(name)) return name;
  const shown = JSON.stringify(name.slice(0, 80));
  checks.add(field, `must be an IANA name such as Europe/Berlin, or an offset such as +09:00, got ${shown}`);
  return undefined;
}

function periodOf(
  checks: RequestChecks,
  field: string,
  { period, periodsAgo, timeZone }: TimeWindowMessage,
): TimeWindow {
  return {
    kind: 'period',
    period: checks.choice(`${field}.period`, period, PERIODS),
    ago: checks.within(`${field}.periods_ago`, periodsAgo, 0, PERIODS_AGO_MAX),
    timeZone: timeZoneOf(checks, `${field}.time_zone`, timeZone),
  };
}

function scaleOf(checks: RequestChecks, field: string, scale: number): number {
  if (scale > 0 && Number.isFinite(scale)) return scale;
  checks.add(field, `must be a finite number greater than 0, got ${scale}`);
  return 1;
}
