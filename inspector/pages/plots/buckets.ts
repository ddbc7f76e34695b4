import type { Plotted, TimeField } from './plotted.ts';

/** More bars are too thin to be hit on a narrow screen. */
export const BUCKETS_MAX = 60;

export const STEPS = ['day', 'week', 'month'] as const;
export type Step = (typeof STEPS)[number];

export interface Bucket {
  readonly fromMs: number;
  readonly untilMs: number;
  readonly memories: readonly Plotted[];
}

interface Buckets {
  /** Earliest first, without gaps. */
  readonly buckets: readonly Bucket[];
  /** Memories before the first bucket. */
  readonly earlierCount: number;
}

/** Memories, latest first, by day, week or month of this place: at most the latest 60. */
export function bucketsOf(memories: readonly Plotted[], step: Step): Buckets {
  const [latest] = memories;
  const earliest = memories.at(-1);
  if (!latest || !earliest) return { buckets: [], earlierCount: 0 };
  const buckets: Bucket[] = [];
  let fromMs = startOf(latest.atMs, step);
  let untilMs = moved(fromMs, step, 1);
  let taken = 0;
  while (buckets.length < BUCKETS_MAX && taken < memories.length) {
    const first = taken;
    while (taken < memories.length && (memories[taken]?.atMs ?? 0) >= fromMs) taken += 1;
    buckets.push({ fromMs, untilMs, memories: memories.slice(first, taken) });
    untilMs = fromMs;
    fromMs = moved(fromMs, step, -1);
  }
  return { buckets: buckets.reverse(), earlierCount: memories.length - taken };
}

/** The finest step with which all memories have a bar; months where none has. */
export function fittingStep(memories: readonly Plotted[]): Step {
  return STEPS.find((step) => bucketsOf(memories, step).earlierCount === 0) ?? 'month';
}

function startOf(atMs: number, step: Step): number {
  const date = new Date(atMs);
  if (step === 'week') date.setDate(date.getDate() - ((date.getDay() + 6) % 7));
  else if (step === 'month') date.setDate(1);
  date.setHours(0, 0, 0, 0);
  return date.getTime();
}

/** Days and months differ in length, by the clock change too. */
function moved(startMs: number, step: Step, by: number): number {
  const date = new Date(startMs);
  if (step === 'month') date.setMonth(date.getMonth() + by);
  else date.setDate(date.getDate() + by * (step === 'week' ? 7 : 1));
  // A day without midnight begins at one; its neighbours do not.
  date.setHours(0, 0, 0, 0);
  return date.getTime();
}

/** `2026-11-29`, `2026-11-23 (week)`, `2026-11`. */
export function bucketText({ fromMs }: Bucket, step: Step): string {
  const date = new Date(fromMs);
  const two = (value: number) => String(value).padStart(2, '0');
  const month = `${String(date.getFullYear()).padStart(4, '0')}-${two(date.getMonth() + 1)}`;
  if (step === 'month') return month;
  return `${month}-${two(date.getDate())}${step === 'week' ? ' (week)' : ''}`;
}

/** Condition of a filter. */
export function bucketCondition({ fromMs, untilMs }: Bucket, timeField: TimeField): string {
  const [from, until] = [fromMs, untilMs].map((ms) => new Date(ms).toISOString());
  return `${timeField} >= ${from} AND ${timeField} < ${until}`;
}
