import { comparable, type EpisodeRecord } from './episode-record.ts';
import { type FeatureKind, type FeatureMembers, mediansByTask } from './features.ts';
import { cited, type EfficiencyFactor, type History, type ReflectionOptions, without } from './findings.ts';
import { efficiencyText } from './sentences.ts';
import { comparisons, median, type RankedStratum, ranksOf, rankTest, smallestRankTest } from './statistics.ts';
import { KIND_ORDER } from './success-factors.ts';

export type SizeMeasure = 'duration' | 'tokens';

export const SIZE_MEASURES: Readonly<Record<SizeMeasure, (record: EpisodeRecord) => number | undefined>> = {
  duration: ({ durationSeconds }) => durationSeconds,
  tokens: ({ tokens }) => tokens,
};

const MEASURES = Object.keys(SIZE_MEASURES).length;

/** Kinds that say nothing about size: the same task is compared, and the others are a size themselves. */
const LEFT_OUT: ReadonlySet<FeatureKind> = new Set(['task', 'many_actions', 'long_duration', 'many_tokens']);
const RATIO_MIN = 1.2;
/** Clear features that are compared with each other. */
const CLEAR_MAX = 100;
/** A difference that is less clear than this beside another feature is explained by that one. */
const EXPLAINED_P = 0.05;
const SMALLEST_SIZE = 1e-3;

/** ln of a size by the median of its task, by place; absent for tasks with fewer than three sizes. */
export function* relativeSizes({ records, from }: History, measure: SizeMeasure): Generator<void, Map<number, number>> {
  const sizeOf = SIZE_MEASURES[measure];
  const medians = yield* mediansByTask(records.slice(from), sizeOf);
  const sizes = new Map<number, number>();
  for (let at = from; at < records.length; at++) {
    yield;
    const record = records[at];
    const size = record && sizeOf(record);
    const usual = record && medians.get(comparable(record.task));
    if (size !== undefined && usual !== undefined) sizes.set(at, logOf(size) - logOf(usual));
  }
  return sizes;
}

export function logOf(size: number): number {
  return Math.log(Math.max(size, SMALLEST_SIZE));
}

interface Candidate {
  readonly feature: FeatureMembers;
  readonly present: readonly number[];
  readonly absent: readonly number[];
  readonly ranks: ReturnType<typeof ranksOf>;
  readonly rankSum: number;
  readonly p: number;
}

/** Features whose episodes take longer or shorter, or more or fewer tokens, than others of the same tasks. */
export function* efficiencyFactors(
  history: History,
  features: readonly FeatureMembers[],
  options: ReflectionOptions,
): Generator<void, EfficiencyFactor[]> {
  const found: EfficiencyFactor[] = [];
  for (const measure of Object.keys(SIZE_MEASURES) as SizeMeasure[]) {
    const sizes = yield* relativeSizes(history, measure);
    if (sizes.size === 0) continue;
    const candidates = yield* compared(features, sizes, options);
    const selected: Candidate[] = [];
    for (const one of candidates.sort(byClarity).slice(0, CLEAR_MAX)) {
      if (!selected.some((known) => isExplained(one, known, sizes))) selected.push(one);
      yield;
    }
    found.push(...selected.flatMap((one) => factorOf(history, measure, one, options)));
  }
  return found.sort((one, other) => other.confidence - one.confidence).slice(0, options.limit);
}

function* compared(
  features: readonly FeatureMembers[],
  sizes: ReadonlyMap<number, number>,
  { supportMin, confidenceMin }: ReflectionOptions,
): Generator<void, Candidate[]> {
  const ranked = new Map<
    readonly number[],
    { readonly ranks: ReturnType<typeof ranksOf>; readonly places: number[] }
  >();
  const candidates: Candidate[] = [];
  for (const feature of features) {
    if (LEFT_OUT.has(feature.kind)) continue;
    const { members: all } = feature.universe;
    const known = ranked.get(all) ?? rankedOf(all, sizes);
    ranked.set(all, known);
    const present = feature.members.filter((at) => sizes.has(at));
    const absent = without(known.places, present);
    if (present.length < supportMin || absent.length < supportMin) continue;
    const isPresent = new Set(present);
    const rankSum = known.places.reduce(
      (sum, at, place) => sum + (isPresent.has(at) ? (known.ranks.ranks[place] ?? 0) : 0),
      0,
    );
    candidates.push({ feature, present, absent, ranks: known.ranks, rankSum, p: 1 });
    yield;
  }
  // Durations and tokens are compared: the confidence is corrected for both.
  const smallest = candidates.map(({ present, ranks }) => smallestRankTest(present.length, ranks.ranks.length));
  const count = MEASURES * comparisons(smallest, (1 - confidenceMin) / MEASURES);
  return candidates.flatMap((candidate) => {
    const p = rankTest([stratumOf(candidate)]) * count;
    return p <= 1 - confidenceMin ? [{ ...candidate, p }] : [];
  });
}

function rankedOf(all: readonly number[], sizes: ReadonlyMap<number, number>) {
  const places = all.filter((at) => sizes.has(at));
  return { places, ranks: ranksOf(places.map((at) => sizes.get(at) ?? 0)) };
}

function stratumOf({ rankSum, present, ranks }: Candidate): RankedStratum {
  return { rankSum, count: present.length, ranked: ranks };
}

function byClarity(one: Candidate, other: Candidate): number {
  return (
    one.p - other.p ||
    KIND_ORDER.indexOf(one.feature.kind) - KIND_ORDER.indexOf(other.feature.kind) ||
    (one.feature.value < other.feature.value ? -1 : 1)
  );
}

/** True where a feature shows no clear difference among the episodes that have another feature, and among the rest. */
function isExplained({ present, absent }: Candidate, by: Candidate, sizes: ReadonlyMap<number, number>): boolean {
  const split = new Set(by.present);
  const isPresent = new Set(present);
  const strata = [true, false].map((isSplit): RankedStratum => {
    const places = [...present, ...absent].filter((at) => split.has(at) === isSplit);
    const ranked = ranksOf(places.map((at) => sizes.get(at) ?? 0));
    const ranks = ranked.ranks.filter((_, place) => isPresent.has(places[place] ?? -1));
    return { rankSum: ranks.reduce((sum, rank) => sum + rank, 0), count: ranks.length, ranked };
  });
  return rankTest(strata) > EXPLAINED_P;
}

function factorOf(
  history: History,
  measure: SizeMeasure,
  { feature, present, absent, p, ranks, rankSum }: Candidate,
  options: ReflectionOptions,
): EfficiencyFactor[] {
  const sizeAt = (at: number) => {
    const record = history.records[at];
    return (record && SIZE_MEASURES[measure](record)) ?? 0;
  };
  const presentMedian = median(present.map(sizeAt));
  const absentMedian = median(absent.map(sizeAt));
  const isLess = rankSum < (present.length * (ranks.ranks.length + 1)) / 2;
  const [less, more] = isLess ? [presentMedian, absentMedian] : [absentMedian, presentMedian];
  // The medians of all tasks together may contradict the comparison within tasks.
  if (more < RATIO_MIN * less || more === less) return [];
  const facts = {
    ...{ feature: { kind: feature.kind, value: feature.value }, measure },
    ...{ presentCount: present.length, absentCount: absent.length, presentMedian, absentMedian },
  };
  const episodes = cited(history, present, options);
  return [{ ...facts, confidence: 1 - p, text: efficiencyText(facts), episodes }];
}
