import type { InstantEmbedder } from '../embedding/embedder.ts';
import { MnemeError } from '../memory/errors.ts';
import type { NamespaceState } from './namespace-state.ts';
import type { Degradation, RecallQuery } from './recall-engine.ts';

/**
 * The query with the vector of its text, where it asks for one and the namespace has vectors of that model. Speakers'
 * names are left out of what is embedded: the speaker's own part of the score looks after them.
 */
export function withOwnVector(
  { entry, columns }: NamespaceState,
  query: RecallQuery,
  texts: InstantEmbedder | undefined,
): { query: RecallQuery; degraded: readonly Degradation[] } {
  if (!query.embedText || query.embedding || !texts) return { query, degraded: [] };
  const isOther = entry.embeddingModel !== '' && entry.embeddingModel !== texts.model;
  const values =
    entry.embeddingModel === texts.model ? texts.vectorOf(columns.speakers.withoutNames(query.text)) : undefined;
  if (values) return { query: { ...query, embedding: { model: texts.model, values } }, degraded: [] };
  if (query.weights.keyword === 0) {
    throw new MnemeError('LANE_UNAVAILABLE', 'weights: the text has no vector and weights.keyword is 0: raise it');
  }
  const reason = `the namespace's vectors are of "${entry.embeddingModel}", the embedder is "${texts.model}"`;
  return { query, degraded: isOther ? [{ part: 'vector', reason }] : [] };
}
