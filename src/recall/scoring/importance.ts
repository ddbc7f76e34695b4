import type { ImportanceScoring, Scorer } from './scoring.ts';

export function importanceScorer({ min, max, sortBy, ascending }: ImportanceScoring): Scorer {
  const sign = ascending ? -1 : 1;
  return (memory) => {
    const importance = rounded(memory.importance);
    if (min !== undefined && importance < rounded(min)) return undefined;
    if (max !== undefined && importance > rounded(max)) return undefined;
    const values = { importance: memory.importance, recency: (memory.lastAccessedAtUs ?? memory.createdAtUs) / 1e6 };
    const [first = 'importance', second] = sortBy;
    const score = sign * values[first];
    return second === undefined ? { score } : { score, next: sign * values[second] };
  };
}

function rounded(importance: number): number {
  return Math.round(importance * 100) / 100;
}
