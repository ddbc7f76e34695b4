import { relativeSizes, SIZE_MEASURES, type SizeMeasure } from './efficiency.ts';
import { cited, type History, RATE_DIFFERENCE_MIN, type ReflectionOptions, type Trend } from './findings.ts';
import { trendText } from './sentences.ts';
import { median, orderTest } from './statistics.ts';

/** Episodes from which on a trend is looked for. */
const TREND_EPISODES_MIN = 10;
const RATIO_MIN = 1.1;

interface Series {
  readonly measure: 'success_rate' | SizeMeasure;
  readonly places: readonly number[];
  /** Values that are compared, in order of time. */
  readonly values: readonly number[];
}

/** Changes of the success rate, the durations and the tokens within the time range. */
export function* trendsOf(history: History, options: ReflectionOptions): Generator<void, Trend[]> {
  const series = (yield* seriesOf(history)).filter(
    ({ places }) => places.length >= Math.max(TREND_EPISODES_MIN, 2 * options.supportMin),
  );
  const trends: Trend[] = [];
  for (const one of series) {
    yield;
    const { p, correlation } = orderTest(one.values);
    const corrected = p * series.length;
    if (corrected > 1 - options.confidenceMin) continue;
    trends.push(...trendOf(history, one, { p: corrected, correlation }, options));
  }
  return trends;
}

function* seriesOf(history: History): Generator<void, Series[]> {
  const { records, from } = history;
  const places = records.flatMap((_, at) => (at >= from ? [at] : []));
  const successes = places.map((at) => (records[at]?.outcome === 'success' ? 1 : 0));
  const sizes: Series[] = [];
  for (const measure of Object.keys(SIZE_MEASURES) as SizeMeasure[]) {
    const relative = yield* relativeSizes(history, measure);
    sizes.push({ measure, places: [...relative.keys()], values: [...relative.values()] });
  }
  return [{ measure: 'success_rate', places, values: successes }, ...sizes];
}

function trendOf(
  history: History,
  { measure, places }: Series,
  { p, correlation }: { readonly p: number; readonly correlation: number },
  options: ReflectionOptions,
): Trend[] {
  const half = places.length >> 1;
  const [early, late] = [places.slice(0, half), places.slice(half)];
  const sizeAt = (at: number) => {
    const record = history.records[at];
    if (!record) return 0;
    return measure === 'success_rate' ? Number(record.outcome === 'success') : (SIZE_MEASURES[measure](record) ?? 0);
  };
  const summary = (part: readonly number[]) =>
    measure === 'success_rate' ? mean(part.map(sizeAt)) : median(part.map(sizeAt));
  const [earlier, later] = [summary(early), summary(late)];
  const isLarge =
    measure === 'success_rate'
      ? Math.abs(later - earlier) >= RATE_DIFFERENCE_MIN
      : Math.max(earlier, later) >= RATIO_MIN * Math.min(earlier, later);
  if (!isLarge || later > earlier !== correlation > 0) return [];
  const facts = { measure, earlier, later, earlierCount: early.length, laterCount: late.length };
  return [{ ...facts, confidence: 1 - p, text: trendText(facts), episodes: cited(history, late, options) }];
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}
