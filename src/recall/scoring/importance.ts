import type { ImportanceScoring, Scorer } from './scoring.ts';

export function importanceScorer({ min, max, sortBy, ascending }: ImportanceScoring): Scorer {
  const sign = ascending ? -1 : 1;
  return (memory) => {
    const importance = rounded(memory.importance);
    if (min !== undefined && importance < rounded(min)) return undefined;
    if (max !== undefined && importance > rounded(max)) return undefined;
    const values = { importance, recency: (memory.lastAccessedAtUs ?? memory.createdAtUs) / 1e6 };
    const [first = 'importance', second] = sortBy;
    const score = sign * values[first];
    return second === undefined ? { score } : { score, next: sign * values[second] };
  };
}

/** To 2 decimals by the number's own value, halves to the even neighbour: 0.995, which is stored as less, gives 0.99. */
function rounded(importance: number): number {
  const isHalf = Number.isInteger(importance * 8) && !Number.isInteger(importance * 4);
  if (!isHalf) return Number(importance.toFixed(2));
  return (2 * Math.round(importance * 50)) / 100;
}
