const CUTS = [5, 10, 25, 50] as const;
/** Later ranks do not count. */
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

/** A question and its results, best first. */
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

/** To four decimals, as reports print numbers. */
export function rounded(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}

function entries<Name extends string>(of: (cut: Cut) => [Name, number]): Record<Name, number> {
  return Object.fromEntries(CUTS.map(of)) as Record<Name, number>;
}

function sum(total: number, value: number): number {
  return total + value;
}

/** Hits of a question that are judged by their relevance. */
export const HITS_JUDGED = 10;

/** The best hit's relevance for one question. */
export interface Answered {
  /** 0 where there was no hit. */
  readonly best: number;
  /** The conversation that was asked holds an answer. */
  readonly hasAnswer: boolean;
}

/** A hit's relevance, and whether it answers the question. */
export interface Judged {
  readonly relevance: number;
  readonly isAnswer: boolean;
}

/**
 * Probability that a question with an answer has a better best hit than one without, 0 to 1; ties count a half. NaN
 * where one of the two kinds is missing.
 */
export function areaUnderCurve(questions: readonly Answered[]): number {
  const sorted = questions.toSorted((a, b) => a.best - b.best);
  let withAnswer = 0;
  let rankSum = 0;
  for (let from = 0; from < sorted.length; ) {
    let end = from;
    while (end < sorted.length && sorted[end]?.best === sorted[from]?.best) end++;
    // Ranks from 1; ties share their mean.
    const rank = (from + 1 + end) / 2;
    for (const { hasAnswer } of sorted.slice(from, end)) {
      if (!hasAnswer) continue;
      withAnswer++;
      rankSum += rank;
    }
    from = end;
  }
  const without = sorted.length - withAnswer;
  return (rankSum - (withAnswer * (withAnswer + 1)) / 2) / (withAnswer * without);
}

/**
 * Share of the answerable questions whose best hit is less relevant than the threshold, and of the unanswerable ones
 * whose best hit is not.
 */
export function errorsAt(
  threshold: number,
  questions: readonly Answered[],
): { falseSilence: number; falseAnswers: number } {
  const share = (some: readonly Answered[], isWrong: (one: Answered) => boolean) =>
    some.filter(isWrong).length / some.length;
  return {
    falseSilence: share(
      questions.filter(({ hasAnswer }) => hasAnswer),
      ({ best }) => best < threshold,
    ),
    falseAnswers: share(
      questions.filter(({ hasAnswer }) => !hasAnswer),
      ({ best }) => best >= threshold,
    ),
  };
}

/** Hits whose relevance is in one tenth. */
export interface ReliabilityBin {
  readonly from: number;
  readonly to: number;
  readonly count: number;
  /** Means over them: 0 where there are none. */
  readonly relevance: number;
  readonly answers: number;
}

export interface Reliability {
  readonly bins: readonly ReliabilityBin[];
  /** Mean distance of relevance and share of answers over the bins, by their counts: 0 for perfect, NaN without hits. */
  readonly expectedError: number;
}

/** How well the first hits' relevance separates questions with an answer from others, and hits that answer from others. */
export interface AnswerReport {
  readonly questionsWithout: number;
  readonly auroc: number;
  readonly threshold: number;
  /** Shares at the threshold. */
  readonly falseSilence: number;
  readonly falseAnswers: number;
  /** Of the first ten hits of all questions. */
  readonly reliability: Reliability;
}

/** `unanswered` has the relevances of the first hits of each question without an answer. */
export function answerReport(
  rankings: readonly Ranking[],
  unanswered: readonly (readonly number[])[],
  threshold: number,
): AnswerReport {
  const questions = [
    ...rankings.map(({ relevances }) => ({ best: Math.max(0, ...relevances), hasAnswer: true })),
    ...unanswered.map((relevances) => ({ best: Math.max(0, ...relevances), hasAnswer: false })),
  ];
  const hits = [
    ...rankings.flatMap(({ ranked, relevances, evidence }) =>
      relevances.map((relevance, place) => {
        return { relevance, isAnswer: evidence.includes(ranked[place] ?? '') };
      }),
    ),
    ...unanswered.flat().map((relevance) => ({ relevance, isAnswer: false })),
  ];
  return {
    questionsWithout: unanswered.length,
    auroc: areaUnderCurve(questions),
    threshold,
    ...errorsAt(threshold, questions),
    reliability: reliabilityOf(hits),
  };
}

const BINS = 10;

/** How often hits of some relevance answer the question: of a calibrated relevance of 0.7 seven in ten do. */
export function reliabilityOf(hits: readonly Judged[]): Reliability {
  const bins = Array.from({ length: BINS }, (_, at): ReliabilityBin => {
    const inside = hits.filter(({ relevance }) => Math.min(BINS - 1, Math.floor(relevance * BINS)) === at);
    const mean = (of: (hit: Judged) => number) =>
      inside.length === 0 ? 0 : inside.reduce((sum, hit) => sum + of(hit), 0) / inside.length;
    return {
      from: at / BINS,
      to: (at + 1) / BINS,
      count: inside.length,
      relevance: mean(({ relevance }) => relevance),
      answers: mean(({ isAnswer }) => Number(isAnswer)),
    };
  });
  const distance = bins.reduce((sum, bin) => sum + bin.count * Math.abs(bin.relevance - bin.answers), 0);
  return { bins, expectedError: distance / hits.length };
}
