import type { Ranking } from './score.ts';

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
    // Ranks from 1; equal ones share their mean.
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

/** Share of the questions with an answer whose best hit is below the threshold, and of those without one whose best hit is not. */
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

/** Hits whose relevance lies in one tenth. */
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

/** How well the first hits' relevance tells which questions have an answer, and which hits answer them. */
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
