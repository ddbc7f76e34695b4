import type { Micros, Tier } from '../../memory/memory.ts';
import { type NearPlace, type NearTime, nearnessOf } from '../../memory/place.ts';
import type { LearnedHit } from '../ranking/learned-ranker.ts';
import { ADJUSTMENT_PARTS } from '../reading/adjust.ts';
import type { NamespaceColumns } from './namespace-columns.ts';
import type { RecallQuery, RecallWeights, ScoreComponent } from './recall-engine.ts';
import { type Surroundings, totalOf } from './session-context.ts';

/** Keeps the first places of a lane from deciding alone (Cormack, Clarke and Büttcher, "Reciprocal rank fusion", 2009). */
const RANK_CONSTANT = 60;
/** Difference in learned score that counts as 1. Scores lie between some -15 and 8. */
const LEARNED_UNIT = 10;
/** Below it, the value of a score approaches 0 ever more slowly: 0 is the value of a memory that no lane found. */
const LEARNED_KNEE = -8;

/** A memory that some lane found. Ranks count from 1; 0 means that the lane did not find it. */
export interface Candidate {
  readonly sequence: number;
  keywordRank: number;
  surroundings?: Surroundings;
  /** Score of the learned order, where it placed the memory. */
  learned?: LearnedHit;
  /** Weight of a rank in the keyword lane, for hits behind all that the learned order placed. Default 1. */
  placeShare?: number;
  vectorRank: number;
  similarity: number;
  /** Similarity to the state asked for, and the place by it; absent where it was not compared. */
  state?: { readonly similarity: number; readonly rank: number };
  /** How many words of the text it has; set only where they count. Default 0. */
  readonly words?: number;
  timeRank?: number;
  placeRank?: number;
}

export interface Ranked {
  readonly candidate: Candidate;
  readonly score: number;
}

export interface Ranking {
  readonly weights: RecallWeights;
  readonly nearTime?: NearTime;
  readonly nearPlace?: NearPlace;
  readonly halfLifeUs: Micros;
  /** Reference instant of recency; absent: `nowUs`. */
  readonly referenceUs?: Micros;
  readonly nowUs: Micros;
}

/** Best first; equal scores by event time, newest first, then by sequence. */
export function ranked(candidates: Iterable<Candidate>, columns: NamespaceColumns, ranking: Ranking): Ranked[] {
  const all: Ranked[] = [];
  for (const candidate of candidates) all.push({ candidate, score: scoreOf(candidate, columns, ranking) });
  return all.sort(
    (a, b) =>
      b.score - a.score ||
      columns.eventAtUs(b.candidate.sequence) - columns.eventAtUs(a.candidate.sequence) ||
      a.candidate.sequence - b.candidate.sequence,
  );
}

export function scoreOf(candidate: Candidate, columns: NamespaceColumns, ranking: Ranking): number {
  const { weights, halfLifeUs, nowUs, referenceUs = nowUs, nearTime, nearPlace } = ranking;
  const { words = 0, state = 0, time = 0, place = 0 } = weights;
  return (
    words * (candidate.words ?? 0) +
    state * (candidate.state?.similarity ?? 0) +
    weights.keyword * keywordValue(candidate) +
    weights.vector * placeValue(candidate.vectorRank) +
    weights.recency * recencyOf(columns.eventAtUs(candidate.sequence), referenceUs, halfLifeUs) +
    weights.importance * columns.importance(candidate.sequence) +
    (nearTime && time > 0 ? time * timeNearness(columns, candidate.sequence, nearTime) : 0) +
    (nearPlace && place > 0 ? place * placeNearness(columns, candidate.sequence, nearPlace) : 0)
  );
}

/** The components of `scoreOf`; the value of the keyword lane is divided among the components of the keyword score. */
export function componentsOf(candidate: Candidate, columns: NamespaceColumns, ranking: Ranking): ScoreComponent[] {
  const { weights, halfLifeUs, nowUs, referenceUs = nowUs } = ranking;
  const components = wordComponents(candidate, weights);
  if (candidate.learned) {
    components.push(...learnedComponents(candidate.learned, candidate.keywordRank, weights.keyword));
  } else if (candidate.keywordRank > 0 && candidate.surroundings) {
    const parts = candidate.surroundings;
    const share = (weights.keyword * keywordValue(candidate)) / totalOf(parts);
    components.push({
      name: 'keyword',
      value: parts.own,
      contribution: share * parts.own,
      rank: candidate.keywordRank,
    });
    for (const name of ['neighbors', 'speaker', 'session'] as const) {
      if (parts[name] > 0) components.push({ name, value: parts[name], contribution: share * parts[name], rank: 0 });
    }
  }
  if (candidate.vectorRank > 0) {
    const contribution = weights.vector * placeValue(candidate.vectorRank);
    components.push({ name: 'vector', value: candidate.similarity, contribution, rank: candidate.vectorRank });
  }
  if (candidate.state) {
    const { similarity, rank } = candidate.state;
    components.push({ name: 'state', value: similarity, contribution: (weights.state ?? 0) * similarity, rank });
  }
  const recency = recencyOf(columns.eventAtUs(candidate.sequence), referenceUs, halfLifeUs);
  const importance = columns.importance(candidate.sequence);
  components.push(
    { name: 'recency', value: recency, contribution: weights.recency * recency, rank: 0 },
    { name: 'importance', value: importance, contribution: weights.importance * importance, rank: 0 },
    ...nearnessComponents(candidate, columns, ranking),
  );
  return components;
}

function wordComponents({ words = 0 }: Candidate, weights: RecallWeights): ScoreComponent[] {
  if (!weights.words) return [];
  return [{ name: 'words', value: words, contribution: weights.words * words, rank: 0 }];
}

/** The ranker's score followed by the change of each adjustment, in units of the ranker's score. */
function learnedComponents({ score, adjustment }: LearnedHit, rank: number, weight: number): ScoreComponent[] {
  let sum = score - (adjustment?.total ?? 0);
  const components = [{ name: 'relevance', value: sum, contribution: weight * learnedValue(sum), rank }];
  for (const name of adjustment ? ADJUSTMENT_PARTS : []) {
    const value = adjustment?.parts[name] ?? 0;
    if (value === 0) continue;
    const contribution = weight * (learnedValue(sum + value) - learnedValue(sum));
    components.push({ name, value, contribution, rank: 0 });
    sum += value;
  }
  return components;
}

function nearnessComponents(
  { sequence, timeRank = 0, placeRank = 0 }: Candidate,
  columns: NamespaceColumns,
  { weights: { time = 0, place = 0 }, nearTime, nearPlace }: Ranking,
): ScoreComponent[] {
  const components: ScoreComponent[] = [];
  if (nearTime && time > 0) {
    const value = timeNearness(columns, sequence, nearTime);
    components.push({ name: 'time', value, contribution: time * value, rank: timeRank });
  }
  if (nearPlace && place > 0) {
    const value = placeNearness(columns, sequence, nearPlace);
    components.push({ name: 'place', value, contribution: place * value, rank: placeRank });
  }
  return components;
}

/** Value of a learned score: differences are preserved, so recency decides only between near ties. */
export function learnedValue(score: number): number {
  if (score >= LEARNED_KNEE) return 1 + score / LEARNED_UNIT;
  const atKnee = 1 + LEARNED_KNEE / LEARNED_UNIT;
  return atKnee * Math.exp((score - LEARNED_KNEE) / (atKnee * LEARNED_UNIT));
}

function keywordValue({ learned, keywordRank, placeShare = 1 }: Candidate): number {
  return learned ? learnedValue(learned.score) : placeShare * placeValue(keywordRank);
}

/** 1 for the first place, falling slowly; 0 for a memory that the lane did not find. */
function placeValue(rank: number): number {
  return rank === 0 ? 0 : (RANK_CONSTANT + 1) / (RANK_CONSTANT + rank);
}

/**
 * Number of hits of the learned order, best first, that can reach the first `limit` hits, or the first `limit` of those
 * that are relevant: later hits cannot even with the maximum of recency and importance. Only where the lane is the only
 * one and no hit is refused.
 */
export function placesThatCount(
  learned: readonly Pick<LearnedHit, 'score' | 'relevance'>[],
  { minRelevance = 0, ...reach }: Reach & Pick<RecallQuery, 'minRelevance'>,
): number {
  const places = placesWithin(learned, reach);
  if (minRelevance === 0) return places;
  const relevant = learned.filter(({ relevance }) => relevance >= minRelevance);
  const last = relevant[placesWithin(relevant, reach) - 1];
  return last ? Math.max(places, learned.indexOf(last) + 1) : places;
}

type Reach = Pick<RecallQuery, 'limit' | 'weights'>;

function placesWithin(learned: readonly Pick<LearnedHit, 'score'>[], { limit, weights }: Reach): number {
  const last = learned[limit - 1];
  if (!last || !(weights.keyword > 0)) return learned.length;
  const reach = (weights.recency + weights.importance) / weights.keyword;
  const least = learnedValue(last.score) - reach;
  const behind = learned.findIndex(({ score }) => learnedValue(score) < least);
  return behind < 0 ? learned.length : behind;
}

/**
 * Number of places of the vector lane that can reach the first `limit` hits: later ones cannot even with all recency and
 * importance that memories of the namespace have over others. Only where the lane is the only one and no hit is refused.
 */
export function vectorPlacesThatCount(
  { limit, weights, nowUs, referenceUs = nowUs, halfLifeUs }: Pick<RecallQuery, 'limit'> & Ranking,
  { importanceSpan, eventTimes }: Pick<NamespaceColumns, 'importanceSpan' | 'eventTimes'>,
): number {
  const recencyMax = recencyOf(eventTimes.latestUs, referenceUs, halfLifeUs);
  const gain = Math.abs(weights.recency) * recencyMax + Math.abs(weights.importance) * importanceSpan;
  const reach = gain / weights.vector;
  const least = placeValue(limit) - reach;
  return least > 0 ? Math.ceil((RANK_CONSTANT + 1) / least - RANK_CONSTANT) : Number.POSITIVE_INFINITY;
}

/** So small a part of a half-life that an answer does not change within it. */
const TICKS_PER_HALF_LIFE = 8192;

/** Instants at which recency falls: in between it stays, so that the same question has the same answer for a while. */
export function recencyTickUs(halfLifeUs: Micros): Micros {
  return Math.max(1, Math.floor(halfLifeUs / TICKS_PER_HALF_LIFE));
}

/** The next instant at which the scores of a query fall. */
export function nextTickUs({ weights, nowUs, halfLifeUs, referenceUs }: Ranking): Micros {
  if (weights.recency === 0 || referenceUs !== undefined) return Number.POSITIVE_INFINITY;
  const tickUs = recencyTickUs(halfLifeUs);
  return nowUs - (nowUs % tickUs) + tickUs;
}

/** Halves with every half-life, tick by tick; a future time counts as now. */
export function recencyOf(eventAtUs: Micros, nowUs: Micros, halfLifeUs: Micros): number {
  const tickedUs = nowUs - (nowUs % recencyTickUs(halfLifeUs));
  return 2 ** (-Math.max(0, tickedUs - eventAtUs) / halfLifeUs);
}

/** 0 to 1. */
export function timeNearness(columns: NamespaceColumns, sequence: number, near: NearTime): number {
  if (near.kind === 'step') return nearnessOf(Math.abs(columns.placeColumns.step(sequence) - near.step), near.scale);
  return nearnessOf(Math.abs(columns.eventAtUs(sequence) - near.atUs), near.scaleUs);
}

/** 0 to 1. */
export function placeNearness(columns: NamespaceColumns, sequence: number, near: NearPlace): number {
  if (near.kind === 'named') return columns.placeColumns.namesShared(sequence, near.names);
  return nearnessOf(columns.placeColumns.distance(sequence, near), near.kind === 'geo' ? near.scaleM : near.scale);
}

const TIERS = 3;

/** How many hits each tier still may have. */
export class TierQuota {
  private readonly limit: number;
  private readonly counts = new Map<Tier, number>();
  private fullCount = 0;

  constructor(limit: number) {
    this.limit = limit;
  }

  get isUsedUp(): boolean {
    return this.fullCount === TIERS;
  }

  /** True when the tier has as many as it may. */
  isUsedUpFor(tier: Tier): boolean {
    return this.counts.get(tier) === this.limit;
  }

  /** False when the tier has as many as it may. */
  take(tier: Tier): boolean {
    if (this.isUsedUpFor(tier)) return false;
    const count = this.counts.get(tier) ?? 0;
    this.counts.set(tier, count + 1);
    if (count + 1 === this.limit) this.fullCount++;
    return true;
  }
}
