import { discounted } from '../embedding/static/max-sim.ts';
import type { TokenTable } from '../embedding/static/token-table.ts';
import type { NamespaceColumns } from '../recall/namespace-columns.ts';
import { type LaneScores, laneOf } from './lane-scores.ts';
import { NearTokens } from './near-tokens.ts';
import type { WeightedToken } from './question.ts';
import type { Posting, TokenIndex } from './token-index.ts';

/** Mark of a place that is in the list; query tokens have their place from 1, and are fewer. */
const LISTED = 0xffff;
/**
 * Maximum postings that a question reads, some 8 ns each. Where its tokens and their neighbours have more, the ones that
 * add least to a score are left out, and only candidates are compared with them: see `complete`.
 */
const POSTINGS_MAX = 20_000;
/** Share of an array from which on filling all of it is faster than clearing the written elements. */
const FILLED_SHARE = 1 / 16;

const NO_SCORES = new Float32Array(0);

/** Memories, or passages, in chains. */
export type Chained = Pick<NamespaceColumns, 'end' | 'size' | 'chains'>;

/** Scores of the best passage of a long text. */
export interface PassageScores {
  readonly sequence: number;
  readonly own: number;
  readonly window: number;
}

export interface SoftMatches {
  /** MaxSim of each memory: from 0 to 1. */
  readonly own: LaneScores;
  /** MaxSim of the memory together with the one before and the one after it in its session. */
  readonly window: LaneScores;
  /** False where postings were left out: scores may be too low. */
  readonly isWhole: boolean;
}

/** One token near to one of the question's: the postings of it, and what it adds to the score of a memory. */
interface Entry {
  readonly posting: Posting;
  /** Place of the question's token, from 1. */
  readonly mark: number;
  readonly gain: number;
  /** How many of the postings are read. */
  count: number;
}

/**
 * MaxSim over every memory of a namespace without scanning memories: each query token visits its nearest
 * neighbours in order through their postings, and the first one to reach a memory is the nearest there. Exact up to
 * `postingsMax` postings. One instance serves one thread.
 */
export class SoftMatcher {
  private readonly table: TokenTable;
  private readonly postingsMax: number;
  private readonly near: NearTokens;
  private own = new Float32Array(0);
  private window = new Float32Array(0);
  private ownSeen = new Uint16Array(0);
  private windowSeen = new Uint16Array(0);
  private found = new Uint32Array(0);
  private foundCount = 0;
  private foundWindow = new Uint32Array(0);
  private foundWindowCount = 0;
  private bests: readonly [Float32Array, Float32Array, Float32Array, Float32Array] = [
    NO_SCORES,
    NO_SCORES,
    NO_SCORES,
    NO_SCORES,
  ];
  /** Postings that the last question read. */
  postingsRead = 0;

  constructor(table: TokenTable, postingsMax = POSTINGS_MAX) {
    this.table = table;
    this.postingsMax = postingsMax;
    this.near = new NearTokens(table);
  }

  /**
   * `passages` are the scores of memories that the index does not have. The answer's arrays are this instance's own: good until the next
   * call.
   */
  match(
    query: readonly WeightedToken[],
    index: TokenIndex,
    columns: Chained,
    passages: readonly PassageScores[] = [],
  ): SoftMatches {
    this.reset(columns);
    const entries = this.entriesOf(query, index);
    const isWhole = this.cut(entries);
    for (const { posting, mark, gain, count } of entries) this.spread(posting, count, mark, gain, columns);
    for (const passage of passages) this.take(passage);
    return {
      own: laneOf(this.own, this.found.subarray(0, this.foundCount), columns.size),
      window: laneOf(this.window.subarray(1), this.foundAround(columns), columns.size),
      isWhole,
    };
  }

  /**
   * Compares memories, and the ones before and after them, with all tokens of the question where postings were left out.
   * `query` and `index` are the ones of the last `match`, whose result is `matches`.
   */
  complete(
    matches: SoftMatches,
    query: readonly WeightedToken[],
    index: TokenIndex,
    { chains: { previous, following } }: Chained,
    sequences: readonly number[],
  ): SoftMatches {
    if (matches.isWhole) return matches;
    const total = totalOf(query);
    const shares = Float64Array.from(query, ({ weight }) => weight / total);
    this.near.ask(query.map(({ token }) => token));
    const { spans } = index;
    const bestOf = (sequence: number, to: Float32Array): Float32Array => {
      if (sequence >= 0 && index.has(sequence)) this.near.compare(spans, sequence, to);
      else to.fill(0);
      return to;
    };
    const [first, second, third, fourth] = this.buffersOf(query.length);
    for (const sequence of sequences) {
      const before = previous[sequence] as number;
      const after = following[sequence] as number;
      const furthest = bestOf(before < 0 ? -1 : (previous[before] as number), first);
      const ofBefore = bestOf(before, second);
      const own = bestOf(sequence, third);
      const ofAfter = bestOf(after, fourth);
      if (before >= 0 && index.has(before)) {
        this.raise(before, scoreOf(shares, ofBefore), windowOf(shares, furthest, ofBefore, own));
      }
      if (index.has(sequence)) this.raise(sequence, scoreOf(shares, own), windowOf(shares, ofBefore, own, ofAfter));
      if (after >= 0 && index.has(after)) this.raise(after, scoreOf(shares, ofAfter), this.window[after + 1] as number);
    }
    return { ...matches, own: bestIn(matches.own, sequences), window: bestIn(matches.window, sequences) };
  }

  private buffersOf(length: number): readonly [Float32Array, Float32Array, Float32Array, Float32Array] {
    if (this.bests[0].length !== length) {
      this.bests = [
        new Float32Array(length),
        new Float32Array(length),
        new Float32Array(length),
        new Float32Array(length),
      ];
    }
    return this.bests;
  }

  /** Every token near to the question's, in the question's order, nearest first. */
  private entriesOf(query: readonly WeightedToken[], index: TokenIndex): Entry[] {
    const entries: Entry[] = [];
    const total = totalOf(query);
    if (total === 0) return entries;
    const add = (posting: Posting | undefined, mark: number, gain: number): void => {
      if (posting && posting.count > 0) entries.push({ posting, mark, gain, count: posting.count });
    };
    query.forEach(({ token, weight }, at) => {
      const share = weight / total;
      add(index.posting(token), at + 1, share);
      const { tokens, codes } = this.table.neighbours(token);
      for (let n = 0; n < tokens.length; n++) {
        const posting = index.posting(tokens[n] as number);
        if (posting) add(posting, at + 1, share * discounted(this.table.cosineOfCode[codes[n] as number] as number));
      }
    });
    return entries;
  }

  /** Keeps the entries that add most to a score, as far as their postings may be read; true where that is all of them. */
  private cut(entries: Entry[]): boolean {
    this.postingsRead = entries.reduce((sum, { count }) => sum + count, 0);
    if (this.postingsRead <= this.postingsMax) return true;
    let left = this.postingsMax;
    for (const entry of entries.toSorted((a, b) => b.gain - a.gain)) {
      // The first postings of one that does not fit are as good as the others: all that have it get the same.
      entry.count = Math.min(entry.count, left);
      left -= entry.count;
    }
    this.postingsRead = this.postingsMax;
    return false;
  }

  /**
   * The innermost loop of a recall: arrays in local variables, no calls, and only one data-dependent branch, because a
   * processor mispredicts half of these. An index that the token has already reached gets the gain 0 times. All numbers
   * are truncated to 32 bits where V8 would otherwise widen them.
   */
  private spread({ sequences }: Posting, count: number, mark: number, gain: number, { chains }: Chained): void {
    const { own, window, ownSeen, windowSeen, found } = this;
    const { previous, following } = chains;
    let { foundCount } = this;
    for (let i = 0; i < count; i++) {
      const sequence = (sequences[i] as number) | 0;
      if (ownSeen[sequence] === mark) continue;
      ownSeen[sequence] = mark;
      const had = own[sequence] as number;
      found[foundCount] = sequence;
      foundCount += had === 0 ? 1 : 0;
      own[sequence] = had + gain;
      // Index 0 is unused: it is the neighbour before the first memory of a session and after the last one.
      const at = (sequence + 1) | 0;
      const before = ((previous[sequence] as number) + 1) | 0;
      const after = ((following[sequence] as number) + 1) | 0;
      const here = (windowSeen[at] as number) ^ mark;
      windowSeen[at] = mark;
      window[at] = (window[at] as number) + gain * ((0 - here) >>> 31);
      const there = (windowSeen[before] as number) ^ mark;
      windowSeen[before] = mark;
      window[before] = (window[before] as number) + gain * ((0 - there) >>> 31);
      const beyond = (windowSeen[after] as number) ^ mark;
      windowSeen[after] = mark;
      window[after] = (window[after] as number) + gain * ((0 - beyond) >>> 31);
    }
    this.foundCount = foundCount;
  }

  private take({ sequence, own, window }: PassageScores): void {
    if (own === 0) return;
    if (this.own[sequence] === 0) this.found[this.foundCount++] = sequence;
    this.own[sequence] = own;
    this.window[sequence + 1] = Math.max(this.window[sequence + 1] as number, window);
  }

  /** Replaces scores that may be too low. */
  private raise(sequence: number, own: number, window: number): void {
    if (own > 0 && this.own[sequence] === 0) this.found[this.foundCount++] = sequence;
    this.own[sequence] = own;
    if (window > 0 && this.window[sequence + 1] === 0) this.foundWindow[this.foundWindowCount++] = sequence;
    this.window[sequence + 1] = Math.max(window, this.window[sequence + 1] as number);
  }

  /** The memories found and their neighbours, without duplicates. */
  private foundAround({ chains: { previous, following } }: Chained): Uint32Array {
    const { found, foundCount, foundWindow, windowSeen } = this;
    let count = 0;
    windowSeen[0] = LISTED;
    for (let i = 0; i < foundCount; i++) {
      const sequence = (found[i] as number) | 0;
      const before = previous[sequence] as number;
      const after = following[sequence] as number;
      foundWindow[count] = sequence;
      count += (windowSeen[sequence + 1] as number) === LISTED ? 0 : 1;
      windowSeen[sequence + 1] = LISTED;
      foundWindow[count] = before;
      count += (windowSeen[before + 1] as number) === LISTED ? 0 : 1;
      windowSeen[before + 1] = LISTED;
      foundWindow[count] = after;
      count += (windowSeen[after + 1] as number) === LISTED ? 0 : 1;
      windowSeen[after + 1] = LISTED;
    }
    this.foundWindowCount = count;
    return foundWindow.subarray(0, count);
  }

  private reset(columns: Chained): void {
    const { foundCount, foundWindowCount } = this;
    this.foundCount = 0;
    this.foundWindowCount = 0;
    if (this.own.length < columns.end) {
      const capacity = Math.ceil(columns.end * 1.25);
      this.own = new Float32Array(capacity);
      this.ownSeen = new Uint16Array(capacity);
      // One more than sequences, for the unused index, and one that is written before the bound is checked.
      this.window = new Float32Array(capacity + 1);
      this.windowSeen = new Uint16Array(capacity + 1);
      this.found = new Uint32Array(capacity + 1);
      this.foundWindow = new Uint32Array(capacity + 1);
    } else if (foundWindowCount > FILLED_SHARE * this.own.length) {
      for (const scores of [this.own, this.window]) scores.fill(0);
      for (const seen of [this.ownSeen, this.windowSeen]) seen.fill(0);
    } else {
      const { own, window, ownSeen, windowSeen, found, foundWindow } = this;
      for (let i = 0; i < foundCount; i++) {
        const sequence = found[i] as number;
        own[sequence] = 0;
        ownSeen[sequence] = 0;
      }
      for (let i = 0; i < foundWindowCount; i++) {
        const sequence = foundWindow[i] as number;
        window[sequence + 1] = 0;
        windowSeen[sequence + 1] = 0;
      }
      window[0] = 0;
      windowSeen[0] = 0;
    }
  }
}

function totalOf(query: readonly WeightedToken[]): number {
  let total = 0;
  for (const { weight } of query) total += weight;
  return total;
}

/** MaxSim of the best similarity of each token. */
function scoreOf(shares: Float64Array, best: Float32Array): number {
  let score = 0;
  for (let at = 0; at < shares.length; at++) score += (shares[at] as number) * (best[at] as number);
  return score;
}

function windowOf(shares: Float64Array, before: Float32Array, own: Float32Array, after: Float32Array): number {
  let score = 0;
  for (let at = 0; at < shares.length; at++) {
    score += (shares[at] as number) * Math.max(before[at] as number, own[at] as number, after[at] as number);
  }
  return score;
}

/** The lane with the best of these and of the ones before. */
function bestIn(lane: LaneScores, sequences: readonly number[]): LaneScores {
  let { best } = lane;
  for (const sequence of sequences) best = Math.max(best, lane.values[sequence] ?? 0);
  return { ...lane, best };
}
