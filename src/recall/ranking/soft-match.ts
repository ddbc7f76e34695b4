import { discounted } from '../../embedding/static/max-sim.ts';
import type { TokenTable } from '../../embedding/static/token-table.ts';
import type { NamespaceColumns } from '../namespace-columns.ts';
import { type LaneScores, laneOf } from './lane-scores.ts';
import type { WeightedToken } from './question.ts';
import type { Posting, TokenIndex } from './token-index.ts';

export interface SoftMatches {
  /** MaxSim of each memory: from 0 to 1. */
  readonly own: LaneScores;
  /** MaxSim of the memory together with the one before and the one after it in its session. */
  readonly window: LaneScores;
}

/**
 * MaxSim over every memory of a namespace, exactly, without looking at any memory: each query token goes from its
 * nearest neighbours outwards through their postings, and the first one to reach a memory is the nearest there.
 * One instance serves one thread.
 */
export class SoftMatcher {
  private readonly table: TokenTable;
  private own = new Float32Array(0);
  private window = new Float32Array(0);
  private ownSeen = new Uint16Array(0);
  private windowSeen = new Uint16Array(0);
  private foundOwn = new Uint32Array(0);
  private foundWindow = new Uint32Array(0);
  private ownCount = 0;
  private windowCount = 0;

  constructor(table: TokenTable) {
    this.table = table;
  }

  /** The answer's arrays are this instance's own: good until the next call. */
  match(query: readonly WeightedToken[], index: TokenIndex, columns: NamespaceColumns): SoftMatches {
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
    return {
      own: laneOf(this.own, this.foundOwn.subarray(0, this.ownCount), columns.size),
      window: laneOf(this.window, this.foundWindow.subarray(0, this.windowCount), columns.size),
    };
  }

  /** The innermost loop of a recall: arrays in local names, nothing called. */
  private spread(posting: Posting | undefined, mark: number, gain: number, { chains }: NamespaceColumns): void {
    if (!posting) return;
    const { sequences, count } = posting;
    const { own, window, ownSeen, windowSeen, foundOwn, foundWindow } = this;
    const { previous, following } = chains;
    let { ownCount, windowCount } = this;
    for (let i = 0; i < count; i++) {
      const sequence = sequences[i] as number;
      if (ownSeen[sequence] === mark) continue;
      ownSeen[sequence] = mark;
      if (own[sequence] === 0) foundOwn[ownCount++] = sequence;
      own[sequence] = (own[sequence] as number) + gain;
      if (windowSeen[sequence] !== mark) {
        windowSeen[sequence] = mark;
        if (window[sequence] === 0) foundWindow[windowCount++] = sequence;
        window[sequence] = (window[sequence] as number) + gain;
      }
      const before = previous[sequence] as number;
      if (before >= 0 && windowSeen[before] !== mark) {
        windowSeen[before] = mark;
        if (window[before] === 0) foundWindow[windowCount++] = before;
        window[before] = (window[before] as number) + gain;
      }
      const after = following[sequence] as number;
      if (after >= 0 && windowSeen[after] !== mark) {
        windowSeen[after] = mark;
        if (window[after] === 0) foundWindow[windowCount++] = after;
        window[after] = (window[after] as number) + gain;
      }
    }
    this.ownCount = ownCount;
    this.windowCount = windowCount;
  }

  private reset(columns: NamespaceColumns): void {
    this.ownCount = 0;
    this.windowCount = 0;
    if (this.own.length >= columns.end) {
      for (const scores of [this.own, this.window]) scores.fill(0);
      for (const seen of [this.ownSeen, this.windowSeen]) seen.fill(0);
      return;
    }
    const room = Math.ceil(columns.end * 1.25);
    this.own = new Float32Array(room);
    this.window = new Float32Array(room);
    this.ownSeen = new Uint16Array(room);
    this.windowSeen = new Uint16Array(room);
    this.foundOwn = new Uint32Array(room);
    this.foundWindow = new Uint32Array(room);
  }
}
