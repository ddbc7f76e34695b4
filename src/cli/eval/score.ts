const CUTS = [5, 10, 25, 50] as const;
/** Nothing past this rank counts. */
const RANKS_READ = 50;

type Cut = (typeof CUTS)[number];
export type Metric = `recall@${Cut}` | `hit@${Cut}` | 'mrr' | 'ndcg@10';
export type Scores = Readonly<Record<Metric, number>>;

export const METRICS: readonly Metric[] = [
  ...CUTS.map((cut): Metric => `recall@${cut}`),
  ...CUTS.map((cut): Metric => `hit@${cut}`),
  'mrr',
  'ndcg@10',
];

/** A question that was asked, and what came back, best first. */
export interface Ranking {
  readonly questionId: string;
  readonly category: string;
  readonly evidence: readonly string[];
  readonly ranked: readonly string[];
  /** Relevance of the first of them, 0 to 1. */
  readonly relevances: readonly number[];
}

/** Scores of one ranking, 0 to 1, with binary relevance. An id that comes again still uses up its place. */
export function scoreRanking({ evidence, ranked }: Pick<Ranking, 'evidence' | 'ranked'>): Scores {
  const wanted = new Set(evidence);
  const places = ranked
    .slice(0, RANKS_READ)
    .flatMap((id, place) => (wanted.has(id) && ranked.indexOf(id) === place ? [place] : []));
  const found = (cut: number) => places.filter((place) => place < cut).length;
  const gain = (place: number) => 1 / Math.log2(place + 2);
  const idealCount = Math.min(10, wanted.size);
  const ideal = Array.from({ length: idealCount }, (_, place) => gain(place)).reduce(sum, 0);
  const first = places[0];
  return {
    ...entries((cut) => [`recall@${cut}`, found(cut) / wanted.size]),
    ...entries((cut) => [`hit@${cut}`, found(cut) > 0 ? 1 : 0]),
    mrr: first === undefined ? 0 : 1 / (first + 1),
    'ndcg@10': places.filter((place) => place < 10).reduce((total, place) => total + gain(place), 0) / ideal,
  };
}

/** Means in percent over all questions (`all`), over each category, and over the categories (`macro`). */
export function scoreTable(rankings: readonly Ranking[]): Map<string, { count: number; scores: Scores }> {
  const scored = rankings.map((ranking) => ({ category: ranking.category, scores: scoreRanking(ranking) }));
  const mean = (rows: readonly Scores[]) =>
    Object.fromEntries(
      METRICS.map((metric) => [metric, rows.map((row) => row[metric]).reduce(sum, 0) / rows.length]),
    ) as Scores;
  const percent = (scores: Scores) =>
    Object.fromEntries(METRICS.map((metric) => [metric, 100 * scores[metric]])) as Scores;

  const byCategory = new Map<string, { count: number; scores: Scores }>();
  for (const category of [...new Set(scored.map((row) => row.category))].sort()) {
    const rows = scored.filter((row) => row.category === category).map((row) => row.scores);
    byCategory.set(category, { count: rows.length, scores: percent(mean(rows)) });
  }
  const all = { count: scored.length, scores: percent(mean(scored.map((row) => row.scores))) };
  const macro = { count: byCategory.size, scores: mean([...byCategory.values()].map((row) => row.scores)) };
  return new Map([['all', all], ['macro', macro], ...byCategory]);
}

/** The value that a share of all values does not pass (nearest rank). */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}

function entries<Name extends string>(of: (cut: Cut) => [Name, number]): Record<Name, number> {
  return Object.fromEntries(CUTS.map(of)) as Record<Name, number>;
}

function sum(total: number, value: number): number {
  return total + value;
}
