import { placeNearness, timeNearness } from './candidate-nearness.ts';
import type { NamespaceColumns } from './namespace-columns.ts';
import type { Candidate } from './rank.ts';
import type { RecallQuery } from './recall-engine.ts';

type Cues = Pick<RecallQuery, 'text' | 'embedding' | 'nearTime' | 'nearPlace' | 'weights'>;

/** Relevance to a text where nobody can tell it: without the learned order, or while texts are being read. */
export const UNTOLD = 0.5;

/**
 * How relevant a candidate is to what is asked. To a text: `toText`, the probability that was learned. To a vector of the request, whose model nobody knows: its cosine, which orders the hits of one model
 * only. To a time or a place: its nearness. A filter alone asks for no more than what it admits: 1.
 */
export function relevanceOf(candidate: Candidate, columns: NamespaceColumns, query: Cues, toText: number): number {
  const { text, embedding, nearTime, nearPlace, weights } = query;
  const cosine = candidate.vectorRank > 0 ? Math.min(1, Math.max(0, candidate.similarity)) : 0;
  if (text !== '' && weights.keyword > 0) return Math.max(toText, cosine);
  if (embedding || text !== '') return cosine;
  const near = Math.max(
    nearTime && (weights.time ?? 0) > 0 ? timeNearness(columns, candidate.sequence, nearTime) : 0,
    nearPlace && (weights.place ?? 0) > 0 ? placeNearness(columns, candidate.sequence, nearPlace) : 0,
  );
  return nearTime || nearPlace ? Math.min(1, near) : 1;
}
