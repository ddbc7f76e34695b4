import type { TokenTable } from '../../embedding/static/token-table.ts';
import { NearTokens } from './near-tokens.ts';
import type { WeightedToken } from './question.ts';
import type { RankedMemories } from './ranked-memories.ts';
import type { TokenSpans } from './token-index.ts';
import type { Writable } from './writable.ts';

/** How the tokens of a question and of one memory meet, beyond the sum that MaxSim is. */
export interface TokenMatch {
  /** Share of the question's weight whose very token is there. */
  readonly exactShare: number;
  /** Share of the memory's own tokens, weighed by rarity, that the question asks for. */
  readonly focus: number;
  /** Share of the question's pairs of following tokens that stand close together. */
  readonly phrases: number;
  /** Share of the question that is there in these or like words, and what of it is missing most: words count by how rare they are in English. */
  readonly covered: number;
  readonly missed: number;
}

/** Tokens at most this far apart stand close together. */
const CLOSE_MAX = 4;
const SAME_MIN = 0.999;

type MatchedMemories = Pick<RankedMemories, 'tokens' | 'weightOf'>;

/** Compares a few hundred memories token by token. One instance serves one thread. */
export class TokenMatcher {
  private readonly near: NearTokens;
  /** Place of each vocabulary token in the question, from 1; 0 for all others. */
  private readonly places: Uint16Array;
  private best = new Float32Array(0);
  /** By place in the question: where it was last met, and whether it stood close to the next one. */
  private last = new Int32Array(0);
  private close = new Uint8Array(0);
  private query: readonly WeightedToken[] = [];
  private weights = new Float64Array(0);
  private total = 1;
  private rarities = new Float64Array(0);
  private readonly table: TokenTable;

  constructor(table: TokenTable) {
    this.table = table;
    this.near = new NearTokens(table);
    this.places = new Uint16Array(table.size);
  }

  /** What memories are compared with; good until the next call. */
  ask(query: readonly WeightedToken[]): void {
    const { query: former, places } = this;
    for (const { token } of former) places[token] = 0;
    query.forEach(({ token }, at) => {
      places[token] = at + 1;
    });
    this.query = query;
    this.near.ask(query.map(({ token }) => token));
    this.total = query.reduce((sum, { weight }) => sum + weight, 0) || 1;
    this.weights = Float64Array.from(query, ({ weight }) => weight);
    this.rarities = Float64Array.from(query, ({ token }) => (this.table.poolingWeights[token] ?? 0) ** 2);
    this.best = new Float32Array(query.length);
    this.last = new Int32Array(query.length + 2);
    this.close = new Uint8Array(query.length + 2);
  }

  /** Writes into `match`. */
  read(memories: MatchedMemories, sequence: number, match: Writable<TokenMatch>): void {
    const { best, weights } = this;
    match.focus = this.focusOf(memories, sequence);
    const { rarities } = this;
    let [exact, pairs, there, missed, rarity] = [0, 0, 0, 0, 0];
    let isLastSame = false;
    for (let at = 0; at < weights.length; at++) {
      const near = best[at] as number;
      const isSame = near >= SAME_MIN;
      const rare = rarities[at] as number;
      rarity += rare;
      there += rare * near;
      if (rare * (1 - near) > missed) missed = rare * (1 - near);
      if (isSame) exact += weights[at] as number;
      if (isSame && isLastSame) pairs++;
      isLastSame = isSame;
    }
    match.exactShare = exact / this.total;
    match.covered = rarity > 0 ? there / rarity : 0;
    match.missed = missed;
    match.phrases = pairs === 0 ? 0 : this.phrasesOf(memories.tokens.spans, sequence);
  }

  /** Focus alone; see `TokenMatch`. */
  focusOf(memories: MatchedMemories, sequence: number): number {
    const weight = memories.weightOf(sequence);
    const asked = this.near.compare(memories.tokens.spans, sequence, this.best);
    return weight > 0 ? asked / weight : 0;
  }

  private phrasesOf({ pool, starts, lengths }: TokenSpans, sequence: number): number {
    const { places, weights } = this;
    const last = this.last.fill(-CLOSE_MAX - 1);
    const close = this.close.fill(0);
    const start = starts[sequence] as number;
    const length = lengths[sequence] as number;
    for (let i = 0; i < length; i++) {
      const place = places[pool[start + i] as number] as number;
      if (place === 0) continue;
      last[place] = i;
      if (i - (last[place - 1] as number) <= CLOSE_MAX && place > 1) close[place - 1] = 1;
      if (i - (last[place + 1] as number) <= CLOSE_MAX) close[place] = 1;
    }
    let pairs = 0;
    for (let place = 1; place < weights.length; place++) pairs += close[place] as number;
    return pairs / (weights.length - 1);
  }
}
