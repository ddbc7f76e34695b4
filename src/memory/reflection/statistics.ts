/** Tests and measures that reflection uses. All are exact, or say which approximation they use. */

/** Counts of episodes with and without a feature, by success. */
export interface Table {
  readonly presentHits: number;
  readonly present: number;
  readonly hits: number;
  readonly all: number;
}

/** ln(n!) for whole numbers, computed once. */
const logFactorials: number[] = [0];

function logFactorial(n: number): number {
  for (let at = logFactorials.length; at <= n; at++) {
    logFactorials.push((logFactorials[at - 1] ?? 0) + Math.log(at));
  }
  return logFactorials[n] ?? 0;
}

function logChoose(n: number, k: number): number {
  return logFactorial(n) - logFactorial(k) - logFactorial(n - k);
}

/** Probability of a table among all with its margins. */
function tableProbability({ presentHits, present, hits, all }: Table): number {
  return Math.exp(
    logChoose(hits, presentHits) + logChoose(all - hits, present - presentHits) - logChoose(all, present),
  );
}

function boundsOf({ present, hits, all }: Omit<Table, 'presentHits'>): readonly [number, number] {
  return [Math.max(0, present + hits - all), Math.min(present, hits)];
}

/** Probabilities of equal tables differ by rounding. */
const ROUNDING = 1 + 1e-7;

/** Fisher's exact test, two-sided: the probability of a table at most as probable as this one. */
export function fisherTest(table: Table): number {
  const [least, most] = boundsOf(table);
  const limit = tableProbability(table) * ROUNDING;
  let sum = 0;
  for (let presentHits = least; presentHits <= most; presentHits++) {
    const probability = tableProbability({ ...table, presentHits });
    if (probability <= limit) sum += probability;
  }
  return Math.min(1, sum);
}

/** Fisher's exact test, one-sided: the probability of at least as many hits where the feature is present. */
export function fisherUpperTail(table: Table): number {
  const [, most] = boundsOf(table);
  let sum = 0;
  for (let { presentHits } = table; presentHits <= most; presentHits++)
    sum += tableProbability({ ...table, presentHits });
  return Math.min(1, sum);
}

/** The smallest p value that Fisher's test can give for the margins of a table. */
export function smallestFisher(table: Omit<Table, 'presentHits'>): number {
  const [least, most] = boundsOf(table);
  return Math.min(
    tableProbability({ ...table, presentHits: least }),
    tableProbability({ ...table, presentHits: most }),
  );
}

/** Probability of at least `hits` of `all` when each hits by chance with probability 1/2 (exact). */
export function binomialUpperTail(hits: number, all: number): number {
  let sum = 0;
  for (let k = hits; k <= all; k++) sum += Math.exp(logChoose(all, k) - all * Math.LN2);
  return Math.min(1, sum);
}

/** 1 / (n choose k): the smallest one-sided p value of a rank test of k among n. */
export function smallestRankTest(k: number, n: number): number {
  return 2 * Math.exp(-logChoose(n, k));
}

/**
 * Number of comparisons that count (Tarone, "A modified Bonferroni method for discrete data", Biometrics 46, 1990): a test
 * that cannot reach the corrected level, whatever its outcome, takes nothing from the others.
 */
export function comparisons(smallest: readonly number[], level: number): number {
  const sorted = [...smallest].sort((one, other) => one - other);
  let within = sorted.length;
  for (let count = 1; ; count++) {
    while (within > 0 && (sorted[within - 1] ?? 0) > level / count) within--;
    if (within <= count) return count;
  }
}

/** Upper tail of the standard normal distribution; complementary error function of Numerical Recipes, error below 1.2e-7. */
export function normalUpperTail(z: number): number {
  const x = Math.abs(z) / Math.SQRT2;
  const t = 1 / (1 + x / 2);
  const terms = [
    -1.26551223, 1.00002368, 0.37409196, 0.09678418, -0.18628806, 0.27886807, -1.13520398, 1.48851587, -0.82215223,
    0.17087277,
  ];
  const polynomial = terms.reduceRight((sum, term) => sum * t + term, 0);
  const tail = (t * Math.exp(-x * x + polynomial)) / 2;
  return z >= 0 ? tail : 1 - tail;
}

/** Degrees of freedom from which on the t distribution is taken for the normal one. */
const FREEDOM_MAX = 300;

/** Two-sided tail of Student's t distribution, by the integral of its density (Simpson's rule). */
export function studentTwoSided(t: number, freedom: number): number {
  if (freedom > FREEDOM_MAX) return 2 * normalUpperTail(Math.abs(t));
  // With t = √ν·tan θ the density becomes cos^(ν−1) θ over a finite interval.
  const limit = Math.atan(Math.abs(t) / Math.sqrt(freedom));
  const density = (angle: number) => Math.cos(angle) ** (freedom - 1);
  return integral(density, limit, Math.PI / 2) / integral(density, 0, Math.PI / 2);
}

const SIMPSON_STEPS = 400;

function integral(density: (angle: number) => number, from: number, to: number): number {
  const step = (to - from) / SIMPSON_STEPS;
  let sum = density(from) + density(to);
  for (let at = 1; at < SIMPSON_STEPS; at++) sum += density(from + at * step) * (at % 2 === 0 ? 2 : 4);
  return (sum * step) / 3;
}

export function median(values: readonly number[]): number {
  return medianOfSorted([...values].sort((one, other) => one - other));
}

export function medianOfSorted(sorted: readonly number[]): number {
  const half = sorted.length >> 1;
  const upper = sorted[half] ?? 0;
  return sorted.length % 2 === 1 ? upper : ((sorted[half - 1] ?? 0) + upper) / 2;
}

/** Median of the distances from `center`: the values nearest to it are taken from the middle outwards. */
export function deviationOfSorted(sorted: readonly number[], center: number): number {
  let right = sorted.length >> 1;
  let left = right - 1;
  let [former, distance] = [0, 0];
  for (let taken = 0; taken <= sorted.length >> 1; taken++) {
    const toLeft = left >= 0 ? center - (sorted[left] ?? 0) : Number.POSITIVE_INFINITY;
    const toRight = right < sorted.length ? (sorted[right] ?? 0) - center : Number.POSITIVE_INFINITY;
    former = distance;
    distance = Math.abs(Math.min(toLeft, toRight));
    if (toLeft < toRight) left--;
    else right++;
  }
  return sorted.length % 2 === 1 ? distance : (former + distance) / 2;
}

/** Ranks from 1; equal values share the mean of their ranks. `ties` is Σ(t³ − t) over groups of t equal values. */
export function ranksOf(values: readonly number[]): { readonly ranks: readonly number[]; readonly ties: number } {
  const order = values.map((_, at) => at).sort((one, other) => (values[one] ?? 0) - (values[other] ?? 0));
  const ranks = new Array<number>(values.length).fill(0);
  let ties = 0;
  for (let from = 0; from < order.length; ) {
    let end = from + 1;
    while (end < order.length && values[order[end] ?? 0] === values[order[from] ?? 0]) end++;
    for (let at = from; at < end; at++) ranks[order[at] ?? 0] = (from + 1 + end) / 2;
    ties += (end - from) ** 3 - (end - from);
    from = end;
  }
  return { ranks, ties };
}

/** Ranks of one stratum, and the sum of those where the feature is present. */
export interface RankedStratum {
  readonly rankSum: number;
  readonly count: number;
  readonly ranked: ReturnType<typeof ranksOf>;
}

/**
 * Rank test of Mann and Whitney over strata, two-sided: normal approximation, corrected for ties and continuity. 1 where no
 * stratum can show a difference.
 */
export function rankTest(strata: readonly RankedStratum[]): number {
  let [difference, variance] = [0, 0];
  for (const { rankSum, count, ranked } of strata) {
    const all = ranked.ranks.length;
    if (all < 2) continue;
    difference += rankSum - (count * (all + 1)) / 2;
    variance += ((count * (all - count)) / 12) * (all + 1 - ranked.ties / (all * (all - 1)));
  }
  if (!(variance > 0)) return 1;
  return Math.min(1, 2 * normalUpperTail(Math.max(0, Math.abs(difference) - 0.5) / Math.sqrt(variance)));
}

/** Test of Spearman's rank correlation of the values with their order, two-sided, by the t distribution. */
export function orderTest(values: readonly number[]): { readonly p: number; readonly correlation: number } {
  const { ranks } = ranksOf(values);
  const middle = (values.length + 1) / 2;
  let [products, ofRanks, ofOrder] = [0, 0, 0];
  for (const [at, rank] of ranks.entries()) {
    products += (rank - middle) * (at + 1 - middle);
    ofRanks += (rank - middle) ** 2;
    ofOrder += (at + 1 - middle) ** 2;
  }
  if (ofRanks === 0 || values.length < 4) return { p: 1, correlation: 0 };
  const correlation = products / Math.sqrt(ofRanks * ofOrder);
  const freedom = values.length - 2;
  const t = correlation * Math.sqrt(freedom / Math.max(1e-12, 1 - correlation ** 2));
  return { p: studentTwoSided(t, freedom), correlation };
}

/**
 * Test of Cochran, Mantel and Haenszel over tables of several strata, two-sided: normal approximation, corrected for
 * continuity. 1 where no stratum can show a difference.
 */
export function stratifiedTest(tables: readonly Table[]): number {
  let [difference, variance] = [0, 0];
  for (const { presentHits, present, hits, all } of tables) {
    if (all < 2) continue;
    difference += presentHits - (present * hits) / all;
    variance += (present * (all - present) * hits * (all - hits)) / (all * all * (all - 1));
  }
  if (variance <= 0) return 1;
  return Math.min(1, 2 * normalUpperTail(Math.max(0, Math.abs(difference) - 0.5) / Math.sqrt(variance)));
}
