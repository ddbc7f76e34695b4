import type { Micros } from '../memory.ts';
import { comparable, type EpisodeRecord } from './episode-record.ts';
import { type Anomaly, cited, type History, type ReflectionOptions } from './findings.ts';
import { actionAnomalyText, dayAnomalyText } from './sentences.ts';
import { ANOMALY_MEASURES, BASELINE_US, sizeAnomalies } from './size-anomalies.ts';
import { comparisons, fisherUpperTail, smallestFisher, type Table } from './statistics.ts';

const DAY_US: Micros = 86_400_000_000;
/** Episodes of the 30 days before from which on the failures of a day are compared with theirs. */
const DAY_BASELINE_MIN = 10;
/** Episodes with actions of the 30 days before from which on an action can be unusual. */
const ACTION_BASELINE_MIN = 20;

/** Unusual episodes and days of the time range, the newest first. */
export function* anomaliesOf(history: History, options: ReflectionOptions): Generator<void, Anomaly[]> {
  const found = [
    ...(yield* sizeAnomalies(history, 'duration', options)),
    ...(yield* sizeAnomalies(history, 'tokens', options)),
    ...(yield* failingDays(history, options)),
    ...(yield* unusualActions(history, options)),
  ];
  const newestFirst = found.sort((one, other) => other.atUs - one.atUs || (one.text < other.text ? -1 : 1));
  return newestFirst.slice(0, options.limit);
}

interface Day {
  readonly startUs: Micros;
  /** Places of its episodes. */
  readonly places: readonly number[];
  readonly table: Table;
}

/** Days with clearly more failures than the 30 days before. */
function* failingDays(history: History, options: ReflectionOptions): Generator<void, Anomaly[]> {
  const days: Day[] = [];
  for (const { startUs, places } of daysOf(history)) {
    const day = places.length < options.supportMin ? undefined : comparedDay(history, startUs, places);
    if (day) days.push(day);
    yield;
  }
  const level = 1 - options.confidenceMin;
  const smallest = days.map(({ table }) => smallestFisher(table));
  const count = ANOMALY_MEASURES * comparisons(smallest, level / ANOMALY_MEASURES);
  return days.flatMap(({ startUs, places, table }): Anomaly[] => {
    const p = fisherUpperTail(table) * count;
    if (p > level) return [];
    const baselineCount = table.all - table.present;
    const baselineFailures = table.hits - table.presentHits;
    const facts = { failures: table.presentHits, count: table.present, baselineFailures, baselineCount };
    return [
      {
        measure: 'failure_rate',
        value: table.presentHits / table.present,
        baseline: baselineFailures / baselineCount,
        ...{ baselineCount, score: 0, confidence: 1 - p, action: '', atUs: startUs, count: places.length },
        text: dayAnomalyText(startUs, facts),
        episodes: cited(history, places, options, ({ outcome }) => outcome === 'failure'),
      },
    ];
  });
}

function daysOf({ records, from }: History): { readonly startUs: Micros; readonly places: number[] }[] {
  const days: { readonly startUs: Micros; readonly places: number[] }[] = [];
  for (let at = from; at < records.length; at++) {
    const startUs = Math.floor((records[at]?.atUs ?? 0) / DAY_US) * DAY_US;
    const last = days.at(-1);
    if (last?.startUs === startUs) last.places.push(at);
    else days.push({ startUs, places: [at] });
  }
  return days;
}

function comparedDay({ records }: History, startUs: Micros, places: readonly number[]): Day | undefined {
  const isFailure = (record: EpisodeRecord | undefined) => record?.outcome === 'failure';
  const presentHits = places.filter((at) => isFailure(records[at])).length;
  let [baseline, hits] = [0, presentHits];
  for (let at = (places[0] ?? 0) - 1; at >= 0 && (records[at]?.atUs ?? 0) >= startUs - BASELINE_US; at--) {
    baseline++;
    if (isFailure(records[at])) hits++;
  }
  if (baseline < DAY_BASELINE_MIN) return undefined;
  const present = places.length;
  return { startUs, places, table: { presentHits, present, hits, all: present + baseline } };
}

/**
 * Actions that no episode of the 30 days before has, where new actions are rare: the probability of one is estimated by the
 * share of actions that occur once (Good, "The population frequencies of species", Biometrika 40, 1953).
 */
function* unusualActions(history: History, { confidenceMin }: ReflectionOptions): Generator<void, Anomaly[]> {
  const seen = new ActionWindow();
  const found: Anomaly[] = [];
  for (const [at, record] of history.records.entries()) {
    if (record.actions.length > 0) {
      const { id, atUs, task } = record;
      seen.dropBefore(atUs - BASELINE_US);
      const { episodeCount: baselineCount, newProbability } = seen;
      const isStable = baselineCount >= ACTION_BASELINE_MIN && 1 - newProbability >= confidenceMin;
      const unseen = new Map(record.actions.map((action) => [comparable(action), action] as const));
      for (const [form, action] of at >= history.from && isStable ? unseen : []) {
        if (seen.has(form)) continue;
        found.push({
          ...{ measure: 'action', value: 0, baseline: 0, baselineCount, score: 0, confidence: 1 - newProbability },
          ...{ action, atUs, count: 1, episodes: [id], text: actionAnomalyText({ action, task, baselineCount }) },
        });
      }
      seen.add(atUs, [...unseen.keys()]);
    }
    yield;
  }
  return found;
}

/** The actions of a stretch of time, each counted once for an episode. */
class ActionWindow {
  private readonly counts = new Map<string, number>();
  private readonly queue: { readonly atUs: Micros; readonly actions: readonly string[] }[] = [];
  private first = 0;
  private total = 0;
  private once = 0;

  get episodeCount(): number {
    return this.queue.length - this.first;
  }

  get newProbability(): number {
    return (this.once + 1) / (this.total + 1);
  }

  has(action: string): boolean {
    return this.counts.has(action);
  }

  add(atUs: Micros, actions: readonly string[]): void {
    this.queue.push({ atUs, actions });
    for (const action of actions) this.change(action, 1);
  }

  dropBefore(fromUs: Micros): void {
    for (;;) {
      const oldest = this.queue[this.first];
      if (!oldest || oldest.atUs >= fromUs) return;
      for (const action of oldest.actions) this.change(action, -1);
      this.first++;
    }
  }

  private change(action: string, by: number): void {
    const before = this.counts.get(action) ?? 0;
    const after = before + by;
    if (after === 0) this.counts.delete(action);
    else this.counts.set(action, after);
    this.total += by;
    this.once += Number(after === 1) - Number(before === 1);
  }
}
