import { discounted } from '../../embedding/static/max-sim.ts';
import type { TokenTable } from '../../embedding/static/token-table.ts';
import type { NamespaceColumns } from '../namespace-columns.ts';
import { type LaneScores, laneOfArray } from './lane-scores.ts';
import type { WeightedToken } from './question.ts';
import type { TokenIndex } from './token-index.ts';

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
        this.spread(index.having(token), at + 1, share, columns);
        const { tokens, codes } = this.table.neighbours(token);
        for (let n = 0; n < tokens.length; n++) {
          const near = discounted(this.table.cosineOfCode[codes[n] ?? 0] ?? 0);
          this.spread(index.having(tokens[n] ?? 0), at + 1, share * near, columns);
        }
      });
    }
    return {
      own: laneOfArray(this.own, this.foundOwn.subarray(0, this.ownCount), columns.size),
      window: laneOfArray(this.window, this.foundWindow.subarray(0, this.windowCount), columns.size),
    };
  }

  private spread(sequences: Uint32Array, mark: number, gain: number, columns: NamespaceColumns): void {
    for (let i = 0; i < sequences.length; i++) {
      const sequence = sequences[i] as number;
      if (this.ownSeen[sequence] === mark) continue;
      this.ownSeen[sequence] = mark;
      if (this.own[sequence] === 0) this.foundOwn[this.ownCount++] = sequence;
      this.own[sequence] = (this.own[sequence] as number) + gain;
      this.widen(sequence, mark, gain);
      const before = columns.neighbor(sequence, -1);
      if (before >= 0) this.widen(before, mark, gain);
      const after = columns.neighbor(sequence, 1);
      if (after >= 0) this.widen(after, mark, gain);
    }
  }

  private widen(sequence: number, mark: number, gain: number): void {
    if (this.windowSeen[sequence] === mark) return;
    this.windowSeen[sequence] = mark;
    if (this.window[sequence] === 0) this.foundWindow[this.windowCount++] = sequence;
    this.window[sequence] = (this.window[sequence] as number) + gain;
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
