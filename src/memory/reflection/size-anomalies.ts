import type { Micros } from '../memory.ts';
import { logOf, SIZE_MEASURES, type SizeMeasure } from './efficiency.ts';
import { comparable, type EpisodeRecord } from './episode-record.ts';
import type { Anomaly, History, ReflectionOptions } from './findings.ts';
import { sizeAnomalyText } from './sentences.ts';
import { deviationOfSorted, medianOfSorted, studentTwoSided } from './statistics.ts';

/** Durations, tokens and days are compared: the confidence of each is corrected for all three. */
export const ANOMALY_MEASURES = 3;
export const BASELINE_US: Micros = 30 * 86_400_000_000;

/** Earlier episodes of the same task, or of all tasks, from which on an episode is compared with them. */
const BASELINE_MIN = { sameTask: 10, all: 20 };
/** Modified z-score of an outlier (Iglewicz and Hoaglin, "How to detect and handle outliers", 1993). */
const SCORE_MIN = 3.5;
const RATIO_MIN = 2;
/** Share of earlier values that may be as far from the median. */
const RARE_SHARE = 0.02;
/** The median absolute deviation times this estimates the standard deviation of normal values. */
const MAD_TO_SD = 1.4826;
/** Smallest spread, by the median and in logarithms: sizes that are all the same still differ by a twentieth. */
const SPREAD_SHARE_MIN = 0.05;
const SPREAD_MIN = Math.log(1 + SPREAD_SHARE_MIN);
/** Efficiency of the median absolute deviation (Rousseeuw and Croux, JASA 88, 1993): as many values count for the test. */
const MAD_EFFICIENCY = 0.37;

interface Compared {
  readonly record: EpisodeRecord;
  readonly value: number;
  readonly baseline: number;
  readonly baselineCount: number;
  readonly isSameTask: boolean;
  readonly score: number;
  readonly p: number;
}

/**
 * Episodes whose duration or tokens are far from the median of the 30 days before, by the values and by their logarithms:
 * where small values are frequent the logarithms alone would find them unusual, and where large ones are, the values.
 */
export function* sizeAnomalies(
  history: History,
  measure: SizeMeasure,
  options: ReflectionOptions,
): Generator<void, Anomaly[]> {
  const windows = new Windows();
  const compared: Compared[] = [];
  for (const [at, record] of history.records.entries()) {
    const size = SIZE_MEASURES[measure](record);
    if (size !== undefined) {
      const task = comparable(record.task);
      const window = at < history.from ? undefined : windows.before(record.atUs, task);
      if (window) compared.push(comparedWith(window.values, window.isSameTask, record, size));
      windows.add(record.atUs, task, size);
    }
    yield;
  }
  return compared.flatMap((one) => {
    const p = one.p * compared.length * ANOMALY_MEASURES;
    const { value, baseline, score } = one;
    const isFar = Math.max(value, baseline) >= RATIO_MIN * Math.min(value, baseline);
    const isUnusual = p <= 1 - options.confidenceMin && Math.abs(score) >= SCORE_MIN && isFar;
    return isUnusual ? [anomalyOf(one, measure, 1 - p)] : [];
  });
}

class Windows {
  private readonly all = new SlidingValues();
  private readonly byTask = new Map<string, SlidingValues>();

  add(atUs: Micros, task: string, value: number): void {
    const same = this.byTask.get(task) ?? new SlidingValues();
    same.add(atUs, value);
    this.byTask.set(task, same);
    this.all.add(atUs, value);
  }

  /** The values of the 30 days before, if they are enough. */
  before(atUs: Micros, task: string): { readonly values: readonly number[]; readonly isSameTask: boolean } | undefined {
    const same = this.byTask.get(task);
    same?.dropBefore(atUs - BASELINE_US);
    this.all.dropBefore(atUs - BASELINE_US);
    if (same && same.values.length >= BASELINE_MIN.sameTask) return { values: same.values, isSameTask: true };
    return this.all.values.length >= BASELINE_MIN.all ? { values: this.all.values, isSameTask: false } : undefined;
  }
}

function comparedWith(values: readonly number[], isSameTask: boolean, record: EpisodeRecord, value: number): Compared {
  const baseline = medianOfSorted(values);
  const count = values.length;
  const facts = { record, value, baseline, baselineCount: count, isSameTask };
  const plain = scoreOf(values, value, SPREAD_SHARE_MIN * baseline);
  if (Math.abs(plain) < SCORE_MIN || !isRare(values, value, baseline)) return { ...facts, score: plain, p: 1 };
  const logarithmic = scoreOf(values.map(logOf), logOf(value), SPREAD_MIN);
  const score = Math.abs(logarithmic) < Math.abs(plain) ? logarithmic : plain;
  // The median itself varies too: its variance is π/2 times that of the mean.
  const t = score / Math.sqrt(1 + Math.PI / 2 / count);
  return { ...facts, score, p: studentTwoSided(t, Math.max(2, MAD_EFFICIENCY * (count - 1))) };
}

/** False where values as far on this side occur now and then, such as where there are few distinct ones. */
function isRare(values: readonly number[], value: number, center: number): boolean {
  const asFar = values.filter((other) => (value > center ? other >= value : other <= value)).length;
  return asFar <= RARE_SHARE * values.length;
}

/** Distance of a value from the median by the median absolute deviation; `values` are sorted. */
function scoreOf(values: readonly number[], value: number, spreadMin: number): number {
  const center = medianOfSorted(values);
  return (value - center) / Math.max(MAD_TO_SD * deviationOfSorted(values, center), spreadMin, Number.MIN_VALUE);
}

function anomalyOf(compared: Compared, measure: SizeMeasure, confidence: number): Anomaly {
  const { record, value, baseline, baselineCount, isSameTask, score } = compared;
  const facts = { measure, value, baseline, baselineCount };
  return {
    ...facts,
    ...{ score, confidence, action: '', atUs: record.atUs, count: 1, episodes: [record.id] },
    text: sizeAnomalyText({ ...facts, task: record.task, isSameTask }),
  };
}

/** The values of a stretch of time that moves forward, sorted. */
class SlidingValues {
  private readonly sorted: number[] = [];
  private readonly queue: { readonly atUs: Micros; readonly value: number }[] = [];
  private first = 0;

  get values(): readonly number[] {
    return this.sorted;
  }

  /** `atUs` is not before that of the value added last. */
  add(atUs: Micros, value: number): void {
    this.queue.push({ atUs, value });
    this.sorted.splice(this.placeOf(value), 0, value);
  }

  dropBefore(fromUs: Micros): void {
    for (;;) {
      const oldest = this.queue[this.first];
      if (!oldest || oldest.atUs >= fromUs) return;
      this.sorted.splice(this.placeOf(oldest.value), 1);
      this.first++;
    }
  }

  /** Place of the first value that is not smaller. */
  private placeOf(value: number): number {
    let [low, high] = [0, this.sorted.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.sorted[middle] ?? 0) < value) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
