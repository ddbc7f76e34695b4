import { MnemeError } from '../memory/errors.ts';
import type { Embedder } from './embedder.ts';

/** For servers that get vectors from their clients, or none at all. */
export const noEmbedder: Embedder = {
  kind: 'none',
  model: '',
  dimension: 0,
  inline: false,
  isDerived: false,
  laneWeight: 0,
  async embed(texts, signal) {
    signal.throwIfAborted();
    if (texts.length === 0) return [];
    throw new MnemeError('EMBEDDER_UNAVAILABLE', 'this server has no embedder', { metadata: { model: '' } });
  },
};
