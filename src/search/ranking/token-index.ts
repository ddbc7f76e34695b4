import { grown } from '../recall/grown.ts';
import { ADOPTED_AT_ONCE, type KeptPool } from '../recall/kept-texts.ts';

const TEXTS_AT_FIRST = 1024;
const POSTING_OVERHEAD_BYTES = 100;
const NO_SEQUENCES = new Uint32Array(0);

type Pool = Uint16Array | Uint32Array;

/** Memories that have a token, in rising order: the first `count` entries. */
export interface Posting {
  sequences: Uint32Array;
  /** How often each has it, at most `TIMES_MAX`; absent where this is not kept. */
  times: Uint8Array | undefined;
  count: number;
}

/** As often, or oftener. */
export const TIMES_MAX = 255;

/** Where the tokens of each memory are: `lengths[sequence]` of them from `pool[starts[sequence]]` on. */
export interface TokenSpans {
  readonly pool: Pool;
  readonly starts: Uint32Array;
  readonly lengths: Uint32Array;
}

/**
 * Tokens of every memory of a namespace, in both directions: the tokens of a memory in reading order, and the memories
 * of a token in ascending order. Some 180 bytes a memory of 30 tokens; a store provides the tokens once, when a
 * namespace is read.
 */
export class TokenIndex {
  private pool: Pool;
  private poolEnd = 0;
  /** Unused space in the pool left by removed memories. */
  private wasted = 0;
  private starts = new Uint32Array(TEXTS_AT_FIRST);
  private lengths = new Uint32Array(TEXTS_AT_FIRST);
  private present = new Uint8Array(TEXTS_AT_FIRST);
  private readonly postings: (Posting | undefined)[] = [];
  private readonly isCounted: boolean;
  private postingBytes = 0;
  private end = 0;
  /** Number of memories. */
  size = 0;

  /** WordPieces fit two bytes; `wide` stores tokens of four. `counted` keeps how often a memory has each token. */
  constructor({ wide = false, counted = false }: { readonly wide?: boolean; readonly counted?: boolean } = {}) {
    this.pool = newPool(TEXTS_AT_FIRST * 32, wide);
    this.isCounted = counted;
  }

  /**
   * Takes over the tokens of many memories, in steps, with the pool that they are in; only before the first `put`.
   * `texts[sequence]` is the number of its text in the pool, or -1.
   */
  *adopt({ pool, starts }: KeptPool<Pool>, texts: Int32Array): Generator<void> {
    this.ensureCapacity(texts.length - 1, 0);
    let total = 0;
    for (let sequence = 0; sequence < texts.length; sequence++) {
      const text = texts[sequence] as number;
      if (text < 0) continue;
      const start = starts[text] as number;
      const length = (starts[text + 1] as number) - start;
      this.starts[sequence] = start;
      this.lengths[sequence] = length;
      this.present[sequence] = 1;
      this.size++;
      this.end = sequence + 1;
      total += length;
    }
    this.pool = pool;
    this.poolEnd = pool.length;
    this.wasted = pool.length - total;
    yield* this.adoptPostings();
  }

  /** All postings are views of one array; one that grows later gets an array of its own. */
  private *adoptPostings(): Generator<void> {
    const counts = new Uint32Array(greatestOf(this.pool) + 1);
    yield* this.eachToken(counts.length, (token) => {
      counts[token] = (counts[token] as number) + 1;
    });
    const ends = new Uint32Array(counts.length);
    let total = 0;
    for (let token = 0; token < counts.length; token++) {
      ends[token] = total;
      total += counts[token] as number;
    }
    const all = new Uint32Array(total);
    const times = this.isCounted ? new Uint8Array(total).fill(1) : undefined;
    const put = (token: number, sequence: number): void => {
      const end = ends[token] as number;
      all[end] = sequence;
      ends[token] = end + 1;
    };
    const repeat = (token: number): void => {
      const last = (ends[token] as number) - 1;
      if (times) times[last] = Math.min(TIMES_MAX, (times[last] as number) + 1);
    };
    yield* this.eachToken(counts.length, put, repeat);
    for (let token = 0; token < counts.length; token++) {
      const count = counts[token] as number;
      if (count === 0) continue;
      const end = ends[token] as number;
      this.postings[token] = {
        sequences: all.subarray(end - count, end),
        times: times?.subarray(end - count, end),
        count,
      };
      this.postingBytes += count * (this.isCounted ? 5 : 4) + POSTING_OVERHEAD_BYTES;
    }
  }

  /**
   * Calls `visit` once for each token of each memory, and `repeat` whenever the memory has it once more, in steps.
   * Memories have sequences from 1 upwards.
   */
  private *eachToken(
    tokenEnd: number,
    visit: (token: number, sequence: number) => void,
    repeat?: (token: number) => void,
  ): Generator<void> {
    const { pool, starts, lengths } = this;
    const last = new Uint32Array(tokenEnd);
    for (let sequence = 1; sequence < this.end; sequence++) {
      const start = starts[sequence] as number;
      const end = start + (lengths[sequence] as number);
      for (let at = start; at < end; at++) {
        const token = pool[at] as number;
        if (last[token] === sequence) {
          repeat?.(token);
          continue;
        }
        last[token] = sequence;
        visit(token, sequence);
      }
      if (sequence % ADOPTED_AT_ONCE === 0) yield;
    }
  }

  /** Replaces the tokens of the memory. */
  put(sequence: number, tokens: Pool): void {
    this.remove(sequence);
    this.ensureCapacity(sequence, tokens.length);
    const { length } = tokens;
    this.pool.set(tokens, this.poolEnd);
    this.starts[sequence] = this.poolEnd;
    this.lengths[sequence] = length;
    this.present[sequence] = 1;
    this.poolEnd += length;
    this.size++;
    if (sequence >= this.end) this.end = sequence + 1;
    for (let at = 0; at < length; at++) this.insert(tokens[at] as number, sequence);
  }

  remove(sequence: number): void {
    if (this.present[sequence] !== 1) return;
    for (const token of this.tokensOf(sequence)) this.drop(token, sequence);
    this.wasted += this.lengths[sequence] ?? 0;
    this.lengths[sequence] = 0;
    this.present[sequence] = 0;
    this.size--;
  }

  has(sequence: number): boolean {
    return this.present[sequence] === 1;
  }

  /** A view that is good until the next change. */
  tokensOf(sequence: number): Pool {
    const start = this.starts[sequence] ?? 0;
    return this.pool.subarray(start, start + (this.lengths[sequence] ?? 0));
  }

  /** All of them without a view each, for loops over many memories; good until the next change. */
  get spans(): TokenSpans {
    return { pool: this.pool, starts: this.starts, lengths: this.lengths };
  }

  lengthOf(sequence: number): number {
    return this.lengths[sequence] ?? 0;
  }

  /** How often a memory has a token. */
  countIn(sequence: number, token: number): number {
    const { pool } = this;
    const start = this.starts[sequence] ?? 0;
    const end = start + (this.lengths[sequence] ?? 0);
    let count = 0;
    for (let at = start; at < end; at++) if (pool[at] === token) count++;
    return count;
  }

  /** Memories that have the token, in rising order; a view that is good until the next change. */
  having(token: number): Uint32Array {
    const posting = this.postings[token];
    return posting ? posting.sequences.subarray(0, posting.count) : NO_SEQUENCES;
  }

  /** The same without a view, for loops over many tokens. */
  posting(token: number): Readonly<Posting> | undefined {
    return this.postings[token];
  }

  frequency(token: number): number {
    return this.postings[token]?.count ?? 0;
  }

  get bytes(): number {
    return this.pool.byteLength + this.starts.length * (4 + 4 + 1) + this.postingBytes;
  }

  /** A memory that has a token twice is there once. */
  private insert(token: number, sequence: number): void {
    let posting = this.postings[token];
    if (!posting) {
      posting = { sequences: new Uint32Array(4), times: this.isCounted ? new Uint8Array(4) : undefined, count: 0 };
      this.postings[token] = posting;
      this.postingBytes += bytesOf(posting) + POSTING_OVERHEAD_BYTES;
    }
    const at = placeOf(posting, sequence);
    const { times } = posting;
    if (posting.sequences[at] === sequence && at < posting.count) {
      if (times) times[at] = Math.min(TIMES_MAX, (times[at] as number) + 1);
      return;
    }
    if (posting.count === posting.sequences.length) this.widen(posting);
    if (at < posting.count) {
      posting.sequences.copyWithin(at + 1, at, posting.count);
      posting.times?.copyWithin(at + 1, at, posting.count);
    }
    posting.sequences[at] = sequence;
    if (posting.times) posting.times[at] = 1;
    posting.count++;
  }

  private widen(posting: Posting): void {
    const before = bytesOf(posting);
    const capacity = Math.ceil(posting.count * 1.5);
    posting.sequences = grown(posting.sequences, new Uint32Array(capacity));
    if (posting.times) posting.times = grown(posting.times, new Uint8Array(capacity));
    this.postingBytes += bytesOf(posting) - before;
  }

  private drop(token: number, sequence: number): void {
    const posting = this.postings[token];
    if (!posting) return;
    const at = placeOf(posting, sequence);
    // A token that occurs twice is dropped twice; entries beyond the count were dropped before.
    if (at >= posting.count || posting.sequences[at] !== sequence) return;
    posting.sequences.copyWithin(at, at + 1, posting.count);
    posting.times?.copyWithin(at, at + 1, posting.count);
    posting.count--;
  }

  private ensureCapacity(sequence: number, tokenCount: number): void {
    if (sequence >= this.starts.length) {
      let capacity = this.starts.length;
      while (capacity <= sequence) capacity *= 2;
      this.starts = grown(this.starts, new Uint32Array(capacity));
      this.lengths = grown(this.lengths, new Uint32Array(capacity));
      this.present = grown(this.present, new Uint8Array(capacity));
    }
    if (this.poolEnd + tokenCount <= this.pool.length) return;
    const wanted = this.poolEnd - this.wasted + tokenCount;
    this.repack(Math.max(this.pool.length, Math.ceil(wanted * 1.5)));
  }

  private repack(capacity: number): void {
    const packed = newPool(capacity, this.pool instanceof Uint32Array);
    let at = 0;
    for (let sequence = 0; sequence < this.end; sequence++) {
      const tokens = this.tokensOf(sequence);
      packed.set(tokens, at);
      this.starts[sequence] = at;
      at += tokens.length;
    }
    this.pool = packed;
    this.poolEnd = at;
    this.wasted = 0;
  }
}

function bytesOf({ sequences, times }: Posting): number {
  return sequences.byteLength + (times?.byteLength ?? 0);
}

function greatestOf(pool: Pool): number {
  let greatest = 0;
  for (let at = 0; at < pool.length; at++) if ((pool[at] as number) > greatest) greatest = pool[at] as number;
  return greatest;
}

function newPool(capacity: number, isWide: boolean): Pool {
  return isWide ? new Uint32Array(capacity) : new Uint16Array(capacity);
}

/** Where the sequence is, or belongs: nearly always at the end. */
function placeOf({ sequences, count }: Posting, sequence: number): number {
  if (count === 0 || (sequences[count - 1] ?? 0) < sequence) return count;
  if (sequences[count - 1] === sequence) return count - 1;
  let [low, high] = [0, count - 1];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sequences[middle] ?? 0) < sequence) low = middle + 1;
    else high = middle;
  }
  return low;
}
