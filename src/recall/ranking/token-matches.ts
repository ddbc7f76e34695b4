import type { TokenTable } from '../../embedding/static/token-table.ts';
import { NearTokens } from './near-tokens.ts';
import type { WeightedToken } from './question.ts';

/** How the tokens of a question and of one memory meet, beyond the sum that MaxSim is. */
export interface TokenMatch {
  /** Share of the question's weight whose very token is there. */
  readonly exactShare: number;
  /** Greatest weight times similarity, over the heaviest weight. */
  readonly strongest: number;
  /** Share of the memory's own tokens, weighed by rarity, that the question asks for. */
  readonly focus: number;
  /** Share of the question's pairs of following tokens that stand close together. */
  readonly phrases: number;
}

/** Tokens at most this far apart stand close together. */
const CLOSE_MAX = 4;
const SAME_MIN = 0.999;

/** Compares a few hundred memories token by token. One instance serves one thread. */
export class TokenMatcher {
  private readonly near: NearTokens;
  /** Place of each vocabulary token in the question, from 1. Zero between uses. */
  private readonly places: Uint16Array;
  private best = new Float32Array(0);
  /** By place in the question: where it was last met, and whether it stood close to the next one. */
  private last = new Int32Array(0);
  private close = new Uint8Array(0);

  constructor(table: TokenTable) {
    this.near = new NearTokens(table);
    this.places = new Uint16Array(table.size);
  }

  match(query: readonly WeightedToken[], memories: readonly ArrayLike<number>[]): TokenMatch[] {
    this.near.ask(query.map(({ token }) => token));
    query.forEach(({ token }, at) => {
      this.places[token] = at + 1;
    });
    const total = query.reduce((sum, { weight }) => sum + weight, 0) || 1;
    const heaviest = query.reduce((most, { weight }) => Math.max(most, weight), 0) || 1;
    const best = new Float32Array(query.length);
    this.best = new Float32Array(query.length);
    this.last = new Int32Array(query.length + 2);
    this.close = new Uint8Array(query.length + 2);
    const all = memories.map((tokens): TokenMatch => {
      const focus = this.near.compare(tokens, best);
      let [exact, strongest] = [0, 0];
      for (let q = 0; q < query.length; q++) {
        const weight = query[q]?.weight ?? 0;
        const similarity = best[q] ?? 0;
        if (similarity >= SAME_MIN) exact += weight;
        strongest = Math.max(strongest, weight * similarity);
      }
      return {
        exactShare: exact / total,
        strongest: strongest / heaviest,
        focus,
        phrases: this.phrasesOf(tokens, query.length),
      };
    });
    for (const { token } of query) this.places[token] = 0;
    return all;
  }

  /** Focus alone; see `TokenMatch`. The question is that of the last `match`. */
  focusOf(tokens: ArrayLike<number>): number {
    return this.near.compare(tokens, this.best);
  }

  private phrasesOf(tokens: ArrayLike<number>, queryLength: number): number {
    if (queryLength < 2) return 0;
    const { places } = this;
    const last = this.last.fill(-CLOSE_MAX - 1);
    const close = this.close.fill(0);
    for (let i = 0; i < tokens.length; i++) {
      const place = places[tokens[i] as number] ?? 0;
      if (place === 0) continue;
      last[place] = i;
      if (i - (last[place - 1] ?? 0) <= CLOSE_MAX && place > 1) close[place - 1] = 1;
      if (i - (last[place + 1] ?? 0) <= CLOSE_MAX) close[place] = 1;
    }
    let pairs = 0;
    for (let place = 1; place < queryLength; place++) pairs += close[place] ?? 0;
    return pairs / (queryLength - 1);
  }
}
