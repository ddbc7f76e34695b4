import { MnemeError } from '../../memory/errors.ts';

/** A synchronous embedder: recall has one in its own thread, for the texts of queries. */
export interface InstantEmbedder {
  readonly model: string;
  /** Of length 1; `undefined` for a text that has no direction. */
  vectorOf(text: string): Float32Array | undefined;
}

/** Turns texts into vectors. Every implementation passes `test/storage/conformance/embedder.suite.ts`. */
export interface Embedder {
  readonly kind: 'none' | 'static' | 'hashing' | 'http' | 'transformers';
  /** Marks the vectors; vectors of different models are never compared. Empty for `none`. */
  readonly model: string;
  /** 0 until it is known: an HTTP embedder learns it from its first answer. */
  readonly dimension: number;
  /** True when embedding is so cheap and certain that a write waits for it; otherwise it is done after the write. */
  readonly inline: boolean;
  /**
   * True when recall computes the vectors of all texts itself, in its own thread: none is stored, and clients may add
   * vectors of any model.
   */
  readonly isDerived: boolean;
  /**
   * Weight that the vector lane has earned for texts embedded so, by measurement on the evaluation set: 0 keeps a lane
   * without meaning from dragging down a better one.
   */
  readonly laneWeight: number;
  /**
   * Unit vectors in the order of the texts. Fails with EMBEDDER_UNAVAILABLE (also for `none`, when asked for any).
   * A text without any word has no direction: its vector is `undefined`.
   */
  embed(texts: readonly string[], signal: AbortSignal): Promise<(Float32Array | undefined)[]>;
}

export interface BatchLimits {
  readonly countMax: number;
  /** Maximum total of the texts in UTF-8; a longer text is sent alone. */
  readonly bytesMax: number;
}

/** Cuts a list of texts into runs that keep the limits. */
export function batchesOf(texts: readonly string[], { countMax, bytesMax }: BatchLimits): string[][] {
  const batches: string[][] = [];
  let batch: string[] = [];
  let bytes = 0;
  for (const text of texts) {
    const textBytes = Buffer.byteLength(text);
    if (batch.length > 0 && (batch.length >= countMax || bytes + textBytes > bytesMax)) {
      batches.push(batch);
      batch = [];
      bytes = 0;
    }
    batch.push(text);
    bytes += textBytes;
  }
  if (batch.length > 0) batches.push(batch);
  return batches;
}

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
