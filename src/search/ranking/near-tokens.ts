import { discounted } from '../embedding/static/max-sim.ts';
import { TOKENS_END, type TokenTable } from '../embedding/static/token-table.ts';
import type { TokenSpans } from './token-index.ts';

const NONE = -1;

/**
 * All neighbours of a question's tokens in one table, so that one lookup for each token of a memory serves every token
 * of the question: most have no neighbour and cost one look-up. One instance serves one thread.
 */
export class NearTokens {
  private readonly table: TokenTable;
  /** First entry of each vocabulary token. NONE between uses. */
  private readonly heads: Int32Array;
  private entryCount = 0;
  private next = new Int32Array(1024);
  private place = new Uint16Array(1024);
  private similarity = new Float32Array(1024);
  private tokens: ArrayLike<number> = [];

  constructor(table: TokenTable) {
    this.table = table;
    this.heads = new Int32Array(TOKENS_END).fill(NONE);
  }

  /** Sets the tokens to compare memories with; valid until the next call. */
  ask(tokens: ArrayLike<number>): void {
    this.forget();
    this.tokens = tokens;
    for (let place = 0; place < tokens.length; place++) {
      const token = tokens[place] ?? 0;
      this.add(token, place, 1);
      const near = this.table.neighbours(token);
      for (let n = 0; n < near.tokens.length; n++) {
        this.add(near.tokens[n] ?? 0, place, discounted(this.table.cosineOfCode[near.codes[n] ?? 0] ?? 0));
      }
    }
  }

  /**
   * Writes the similarity of each asked token to its nearest in a memory. Returns how much of the memory, weighed by the
   * rarity of its tokens, is asked for.
   */
  compare({ pool, starts, lengths }: TokenSpans, sequence: number, best: Float32Array): number {
    best.fill(0);
    const { heads, next, place: places, similarity: similarities } = this;
    const { poolingWeights } = this.table;
    const start = starts[sequence] as number;
    const end = start + (lengths[sequence] as number);
    let asked = 0;
    for (let at = start; at < end; at++) {
      const token = pool[at] as number;
      let entry = heads[token] as number;
      if (entry === NONE) continue;
      let nearest = 0;
      do {
        const similarity = similarities[entry] as number;
        const place = places[entry] as number;
        if (similarity > (best[place] as number)) best[place] = similarity;
        if (similarity > nearest) nearest = similarity;
        entry = next[entry] as number;
      } while (entry !== NONE);
      asked += (poolingWeights[token] as number) * nearest;
    }
    return asked;
  }

  private add(token: number, place: number, similarity: number): void {
    if (this.entryCount === this.next.length) this.grow();
    const entry = this.entryCount++;
    this.next[entry] = this.heads[token] ?? NONE;
    this.place[entry] = place;
    this.similarity[entry] = similarity;
    this.heads[token] = entry;
  }

  private forget(): void {
    for (let place = 0; place < this.tokens.length; place++) {
      const token = this.tokens[place] ?? 0;
      this.heads[token] = NONE;
      for (const near of this.table.neighbours(token).tokens) this.heads[near] = NONE;
    }
    this.entryCount = 0;
  }

  private grow(): void {
    const capacity = this.next.length * 2;
    const [next, place, similarity] = [new Int32Array(capacity), new Uint16Array(capacity), new Float32Array(capacity)];
    next.set(this.next);
    place.set(this.place);
    similarity.set(this.similarity);
    [this.next, this.place, this.similarity] = [next, place, similarity];
  }
}
