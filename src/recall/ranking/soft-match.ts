import { discounted } from '../../embedding/static/max-sim.ts';
import type { TokenTable } from '../../embedding/static/token-table.ts';
import type { NamespaceColumns } from '../namespace-columns.ts';
import { type LaneScores, laneOf } from './lane-scores.ts';
import type { WeightedToken } from './question.ts';
import type { Posting, TokenIndex } from './token-index.ts';

/** Mark of a place that is in the list; query tokens have their place from 1, and are fewer. */
const LISTED = 0xffff;

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
}

/**
 * MaxSim over every memory of a namespace, exactly, without scanning memories: each query token visits its nearest
 * neighbours in order through their postings, and the first one to reach a memory is the nearest there. One instance
 * serves one thread.
 */
export class SoftMatcher {
  private readonly table: TokenTable;
  private own = new Float32Array(0);
  private window = new Float32Array(0);
  private ownSeen = new Uint16Array(0);
  private windowSeen = new Uint16Array(0);
  private found = new Uint32Array(0);
  private foundCount = 0;
  private foundWindow = new Uint32Array(0);

  constructor(table: TokenTable) {
    this.table = table;
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
    let total = 0;
    for (const { weight } of query) total += weight;
    if (total > 0) {
      query.forEach(({ token, weight }, at) => {
        const share = weight / total;
        this.spread(index.posting(token), at + 1, share, columns);
        const { tokens, codes } = this.table.neighbours(token);
        for (let n = 0; n < tokens.length; n++) {
          const posting = index.posting(tokens[n] as number);
          if (!posting || posting.count === 0) continue;
          const near = discounted(this.table.cosineOfCode[codes[n] as number] as number);
          this.spread(posting, at + 1, share * near, columns);
        }
      });
    }
    for (const passage of passages) this.take(passage);
    return {
      own: laneOf(this.own, this.found.subarray(0, this.foundCount), columns.size),
      window: laneOf(this.window.subarray(1), this.foundAround(columns), columns.size),
    };
  }

  /**
   * The innermost loop of a recall: arrays in local variables, no calls, and only one data-dependent branch, because a
   * processor mispredicts half of these. An index that the token has already reached gets the gain 0 times. All numbers
   * are truncated to 32 bits where V8 would otherwise widen them.
   */
  private spread(posting: Posting | undefined, mark: number, gain: number, { chains }: Chained): void {
    if (!posting) return;
    const { sequences, count } = posting;
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
    return foundWindow.subarray(0, count);
  }

  private reset(columns: Chained): void {
    this.foundCount = 0;
    if (this.own.length < columns.end) {
      const capacity = Math.ceil(columns.end * 1.25);
      this.own = new Float32Array(capacity);
      this.ownSeen = new Uint16Array(capacity);
      // One more than sequences, for the unused index, and one that is written before the bound is checked.
      this.window = new Float32Array(capacity + 1);
      this.windowSeen = new Uint16Array(capacity + 1);
      this.found = new Uint32Array(capacity + 1);
      this.foundWindow = new Uint32Array(capacity + 1);
    } else {
      for (const scores of [this.own, this.window]) scores.fill(0);
      for (const seen of [this.ownSeen, this.windowSeen]) seen.fill(0);
    }
  }
}
