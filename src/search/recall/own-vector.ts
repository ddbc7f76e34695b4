import { MnemeError } from '../../memory/errors.ts';
import type { InstantEmbedder } from '../embedding/embedder.ts';
import { comparedStateOf } from '../states/state-lane.ts';
import type { NamespaceSource } from './namespace-source.ts';
import type { NamespaceState } from './namespace-state.ts';
import type { Degradation, RecallQuery } from './recall-engine.ts';

/** Time that a query by vector alone waits for texts to be read. */
const TEXTS_MS = 1000;
/** Time that a query with a vector waits where another space has just been put into use. */
const VECTORS_MS = 250;

export interface OwnVector {
  /** To be compared with the vectors of the memories' texts that the engine keeps; none are stored. */
  readonly textVector?: Float32Array;
  readonly degraded: readonly Degradation[];
}

/**
 * The vector of the query's text, where the query requires it. Speakers' names are removed before embedding: the
 * speaker component of the score covers them.
 */
export function ownVectorOf(
  state: NamespaceState,
  query: RecallQuery,
  texts: InstantEmbedder | undefined,
  source: NamespaceSource,
): OwnVector {
  if (query.embedding && state.readVectors(source, VECTORS_MS)) {
    return { degraded: [{ part: 'vector', reason: 'the vectors of the namespace are still being read' }] };
  }
  if (!query.embedText || query.embedding || !texts) return { degraded: [] };
  const values = texts.vectorOf(state.columns.speakers.withoutNames(query.text));
  const isWithoutWords = query.weights.keyword === 0;
  const isAlone = isWithoutWords && !comparedStateOf(query);
  if (!values) {
    if (!isAlone) return { degraded: [] };
    const violations = [{ field: 'weights.keyword', description: 'is 0, and the text has no vector: raise it' }];
    throw new MnemeError('LANE_UNAVAILABLE', 'weights.keyword: is 0, and the text has no vector: raise it', {
      violations,
    });
  }
  if (isWithoutWords) state.readTexts(source, TEXTS_MS);
  if (state.isTextRead) return { textVector: values, degraded: [] };
  const reason = 'the texts of the namespace are still being read';
  if (isAlone)
    throw new MnemeError('EMBEDDER_UNAVAILABLE', `${reason}: ask again`, { metadata: { model: texts.model } });
  return { degraded: [{ part: 'vector', reason }] };
}
