import type { TokenTable } from './token-table.ts';
import type { WordPiece } from './word-piece.ts';

/** One vector for a whole text: the weighted mean of its tokens' vectors, at unit length. */
export class PooledVector {
  readonly #table: TokenTable;
  readonly #tokenizer: Pick<WordPiece, 'encode' | 'unknown'>;
  readonly #sum: Float64Array;

  constructor(table: TokenTable, tokenizer: Pick<WordPiece, 'encode' | 'unknown'>) {
    this.#table = table;
    this.#tokenizer = tokenizer;
    this.#sum = new Float64Array(table.dimensions);
  }

  /** As ofTokens. */
  ofText(text: string): Float32Array | undefined {
    return this.ofTokens(this.#tokenizer.encode(text));
  }

  /**
   * A text without any known token (empty, only unknown words) has no direction: undefined, never a vector of
   * zeros.
   */
  ofTokens(tokens: Uint16Array): Float32Array | undefined {
    const { size, dimensions, vectors, scales, poolingWeights } = this.#table;
    const sum = this.#sum.fill(0);
    for (const token of tokens) {
      if (token === this.#tokenizer.unknown || token >= size) continue;
      const weight = (poolingWeights[token] ?? 0) * (scales[token] ?? 0);
      const base = token * dimensions;
      for (let d = 0; d < dimensions; d++) sum[d] = (sum[d] as number) + weight * (vectors[base + d] as number);
    }
    let squares = 0;
    for (let d = 0; d < dimensions; d++) squares += (sum[d] as number) ** 2;
    if (!(squares > 0)) return undefined;
    const unit = new Float32Array(dimensions);
    const shrink = 1 / Math.sqrt(squares);
    for (let d = 0; d < dimensions; d++) unit[d] = (sum[d] as number) * shrink;
    return unit;
  }
}
