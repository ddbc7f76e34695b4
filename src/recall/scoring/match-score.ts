import type { ScoringMethod } from './scoring.ts';

const K1 = 1.2;
const B = 0.75;
const MEAN_WORDS = 100;
const BM25_SCALE = 10;

/** How much of a text a part that it contains makes up, 0 to 1. */
export function matchScore(method: ScoringMethod, part: string, text: string): number {
  switch (method) {
    case 'binary':
      return 1;
    case 'length_ratio':
      return Math.min(1, part.length / Math.max(1, text.length));
    case 'term_frequency':
      return Math.min(1, countOf(part, text) / Math.max(1, wordCount(text)));
    case 'bm25': {
      const frequency = countOf(part, text);
      const length = 1 - B + (B * wordCount(text)) / MEAN_WORDS;
      return Math.min(1, (frequency * (K1 + 1)) / (frequency + K1 * length) / BM25_SCALE);
    }
  }
}

function countOf(part: string, text: string): number {
  return part === '' ? 0 : text.split(part).length - 1;
}

function wordCount(text: string): number {
  return text.split(/\s+/).filter((word) => word !== '').length;
}
