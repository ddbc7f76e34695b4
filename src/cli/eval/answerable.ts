/** The best hit of one question. */
export interface Answered {
  /** Its score; `-Infinity` where there was no hit. */
  readonly best: number;
  /** The conversation that was asked holds an answer. */
  readonly hasAnswer: boolean;
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
