import type { Micros } from '../memory.ts';
import type { TaskOutcome } from '../procedure.ts';
import type { EpisodeRecord } from './episode-record.ts';
import type { Feature } from './features.ts';

/** Options of a reflection. */
export interface ReflectionOptions {
  /** Minimum number of episodes that a result stands on. */
  readonly supportMin: number;
  /** Minimum confidence of a result, below 1. */
  readonly confidenceMin: number;
  /** Maximum number of results of each kind. */
  readonly limit: number;
  /** Maximum number of episodes that a result cites. */
  readonly citationsMax: number;
}

/** Episodes in order of time, ties by id. Those before `from` are the baseline. */
export interface History {
  readonly records: readonly EpisodeRecord[];
  readonly from: number;
}

export interface OutcomeCounts {
  readonly episodes: number;
  readonly successes: number;
  readonly failures: number;
  readonly partials: number;
}

/** A result: a sentence, its confidence from 0 to 1, and the ids of the newest episodes that it stands on. */
export interface Finding {
  readonly text: string;
  readonly confidence: number;
  readonly episodes: readonly string[];
}

export interface EpisodePattern extends Finding {
  readonly kind: 'recurring_success' | 'recurring_failure';
  readonly feature: Feature;
  readonly counts: OutcomeCounts;
}

export interface SuccessFactor extends Finding {
  readonly feature: Feature;
  readonly present: OutcomeCounts;
  readonly absent: OutcomeCounts;
  readonly lift: number;
  readonly related: readonly Feature[];
}

export type Measure = 'success_rate' | 'failure_rate' | 'duration' | 'tokens' | 'action';

export interface EfficiencyFactor extends Finding {
  readonly feature: Feature;
  readonly measure: Measure;
  readonly presentCount: number;
  readonly absentCount: number;
  readonly presentMedian: number;
  readonly absentMedian: number;
}

export interface Anomaly extends Finding {
  readonly measure: Measure;
  readonly value: number;
  readonly baseline: number;
  readonly baselineCount: number;
  readonly score: number;
  readonly action: string;
  readonly atUs: Micros;
  /** Number of episodes that it is about. */
  readonly count: number;
}

export interface Trend extends Finding {
  readonly measure: Measure;
  readonly earlier: number;
  readonly later: number;
  readonly earlierCount: number;
  readonly laterCount: number;
}

export type InsightKind = 'warning' | 'recommendation' | 'learning' | 'optimization' | 'trend';

export interface Insight extends Finding {
  readonly kind: InsightKind;
  readonly supportCount: number;
}

/** Smallest difference of two rates that is worth a sentence. */
export const RATE_DIFFERENCE_MIN = 0.1;

export function countsOf(records: readonly EpisodeRecord[], places: readonly number[]): OutcomeCounts {
  const counts: Record<TaskOutcome, number> = { success: 0, failure: 0, partial: 0 };
  for (const at of places) {
    const record = records[at];
    if (record) counts[record.outcome]++;
  }
  const { success: successes, failure: failures, partial: partials } = counts;
  return { episodes: places.length, successes, failures, partials };
}

/** Ids of the newest episodes of places that are in order. */
export function cited(
  { records }: History,
  places: readonly number[],
  { citationsMax }: Pick<ReflectionOptions, 'citationsMax'>,
  isMeant: (record: EpisodeRecord) => boolean = () => true,
): string[] {
  const ids: string[] = [];
  for (let at = places.length - 1; at >= 0 && ids.length < citationsMax; at--) {
    const record = records[places[at] ?? -1];
    if (record && isMeant(record)) ids.push(record.id);
  }
  return ids;
}

/** The places of `all` that are not in `some`; both are in order. */
export function without(all: readonly number[], some: readonly number[]): number[] {
  let next = 0;
  return all.filter((at) => {
    while ((some[next] ?? Number.POSITIVE_INFINITY) < at) next++;
    return some[next] !== at;
  });
}
