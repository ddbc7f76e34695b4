import type { TimeSpan } from '../../memory/time/calendar.ts';

/** Sequences of a block. */
const BLOCK = 1024;

/**
 * Earliest and latest event time of each block of consecutive sequences. Memories come nearly in the order of their
 * times, so a search for a time passes over most blocks. A block that has lost memories may be too wide, never too
 * narrow.
 */
export class EventTimes {
  private readonly earliest: number[] = [];
  private readonly latest: number[] = [];
  private latestOfAll = Number.NEGATIVE_INFINITY;

  /** No memory is later; `-Infinity` before the first one. */
  get latestUs(): number {
    return this.latestOfAll;
  }

  add(sequence: number, eventAtUs: number): void {
    const block = Math.floor(sequence / BLOCK);
    while (this.earliest.length <= block) {
      this.earliest.push(Number.POSITIVE_INFINITY);
      this.latest.push(Number.NEGATIVE_INFINITY);
    }
    this.earliest[block] = Math.min(this.earliest[block] as number, eventAtUs);
    this.latest[block] = Math.max(this.latest[block] as number, eventAtUs);
    this.latestOfAll = Math.max(this.latestOfAll, eventAtUs);
  }

  /** The greatest sequence, at most `sequence`, whose block may have a memory of one of the times; 0 where none has. */
  before(sequence: number, spans: readonly TimeSpan[]): number {
    for (let block = Math.floor(sequence / BLOCK); block >= 0; block--) {
      const [earliest = 0, latest = 0] = [this.earliest[block], this.latest[block]];
      if (spans.some(({ fromUs, untilUs }) => earliest < untilUs && fromUs <= latest)) {
        return Math.min(sequence, (block + 1) * BLOCK - 1);
      }
    }
    return 0;
  }
}
