import { MnemeError } from '../../../../src/memory/errors.ts';
import type { Embedder } from '../../../../src/search/embedding/embedder.ts';

/** Returns vectors of its dimension, derived from the length of the text, when its gate is open. */
export class GatedEmbedder implements Embedder {
  readonly kind = 'http';
  readonly model: string;
  /** 0 until it has embedded, unless it is known from the beginning. */
  dimension: number;
  readonly inline = false;
  readonly isDerived = false;
  readonly laneWeight = 1;
  /** Batches that may be embedded. */
  allowed = Number.POSITIVE_INFINITY;
  failure: string | undefined;
  private readonly waiting: (() => void)[] = [];
  private readonly length: number;

  constructor(model: string, dimension: number, isKnown = true) {
    this.model = model;
    this.length = dimension;
    this.dimension = isKnown ? dimension : 0;
  }

  async embed(texts: readonly string[], signal: AbortSignal): Promise<Float32Array[]> {
    if (this.failure !== undefined) throw new MnemeError('EMBEDDER_UNAVAILABLE', this.failure);
    if (texts.length > 1) await this.pass(signal);
    this.dimension = this.length;
    return texts.map((text) => vectorOf(text, this.dimension));
  }

  open(): void {
    this.allowed = Number.POSITIVE_INFINITY;
    for (const go of this.waiting.splice(0)) go();
  }

  private async pass(signal: AbortSignal): Promise<void> {
    if (this.allowed-- > 0) return;
    await new Promise<void>((resolve, reject) => {
      this.waiting.push(resolve);
      signal.addEventListener('abort', () => reject(signal.reason));
    });
  }
}

export function vectorOf(text: string, dimension: number): Float32Array {
  const values = new Float32Array(dimension);
  values[text.length % dimension] = 1;
  return values;
}
