import type { TokenTable } from './token-table.ts';

/** A query's tokens with their weights, usually the idf in the scope's memories (see inverseFrequency). */
export interface WeightedTokens {
  readonly tokens: Uint16Array;
  readonly weights: ArrayLike<number>;
}

/** The idf that MaxSim was measured with: `found` of `all` memories hold the token. */
export function inverseFrequency(found: number, all: number): number {
  return Math.log(1 + (all - found + 0.5) / (found + 0.5));
}

/**
 * Weight of a near token, by its cosine: 0.3 at 0.5, 1 at 1. The plain cosine overrates a neighbour relative to the
 * word itself: this discount gained 0.8 to 2.9 points of recall@10 on each of four sets (LoCoMo, REALTALK, KnowMeBench,
 * BEAM).
 */
export function discounted(cosine: number): number {
  return 1 - 1.4 * (1 - cosine);
}

/**
 * Matches memories token by token: each query token counts with its similarity to the nearest token of the memory.
 * Only neighbours in the table count; all else is 0. So no vector is touched, only looked up. One instance serves one
 * thread.
 */
export class MaxSim {
  readonly #table: TokenTable;
  readonly #unknown: number;
  readonly #similarityOfCode: Float32Array;
  // Similarity of every vocabulary token to the current query token. All zero between uses.
  readonly #similarity: Float32Array;

  /**
   * `unknown` is the tokenizer's unknown token: two unknown words are unrelated, so it matches nothing. `similarityOf`
   * maps the cosine of two tokens to the value of their match, from 0 to 1; identical tokens always count 1.
   */
  constructor(table: TokenTable, unknown: number, similarityOf: (cosine: number) => number = discounted) {
    this.#table = table;
    this.#unknown = unknown;
    this.#similarityOfCode = table.cosineOfCode.map((cosine) => Math.min(1, Math.max(0, similarityOf(cosine))));
    this.#similarity = new Float32Array(table.size);
  }

  /**
   * Score of each memory, from 0 (no near tokens) to 1 (every query token is present). All 0 when no query token has
   * weight.
   */
  scores(query: WeightedTokens, memories: readonly Uint16Array[]): Float32Array {
    const scores = new Float32Array(memories.length);
    const weightOf = (at: number) => (query.tokens[at] === this.#unknown ? 0 : (query.weights[at] ?? 0));
    let total = 0;
    for (let at = 0; at < query.tokens.length; at++) total += weightOf(at);
    if (!(total > 0)) return scores;
    query.tokens.forEach((token, at) => {
      this.#addMatches(token, weightOf(at) / total, memories, scores, 0);
    });
    return scores;
  }

  /** Row by query token, column by memory: the best similarity each. For features that need more than the sum. */
  matches(tokens: Uint16Array, memories: readonly Uint16Array[]): Float32Array {
    const rows = new Float32Array(tokens.length * memories.length);
    tokens.forEach((token, at) => {
      this.#addMatches(token, 1, memories, rows, at * memories.length);
    });
    return rows;
  }

  #addMatches(token: number, weight: number, memories: readonly Uint16Array[], out: Float32Array, from: number): void {
    if (token === this.#unknown || token >= this.#table.size) return;
    const similarity = this.#similarity;
    const { tokens, codes } = this.#table.neighbours(token);
    const similarityOfCode = this.#similarityOfCode;
    for (let n = 0; n < tokens.length; n++)
      similarity[tokens[n] as number] = similarityOfCode[codes[n] as number] as number;
    similarity[token] = 1;
    for (let m = 0; m < memories.length; m++) {
      const memory = memories[m] as Uint16Array;
      let best = 0;
      for (let t = 0; t < memory.length; t++) {
        const near = similarity[memory[t] as number] as number;
        if (near > best) best = near;
      }
      out[from + m] = (out[from + m] as number) + weight * best;
    }
    for (let n = 0; n < tokens.length; n++) similarity[tokens[n] as number] = 0;
    similarity[token] = 0;
  }
}
