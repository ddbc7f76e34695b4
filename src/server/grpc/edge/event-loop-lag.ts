import { turns } from '../../operations/turns.ts';

/** Time after which a measurement says nothing about the present. */
const STALE_AFTER_MS = 2000;

/** Calls back when work that is ready now has its turn. */
type AfterTurn = (callback: () => void) => void;

/** A whole turn of the event loop, and then the steps of work that wait already. */
const afterTurn: AfterTurn = (callback) => {
  setImmediate(() =>
    setImmediate(() => {
      const waiting = turns.wait();
      if (waiting) void waiting.then(callback);
      else callback();
    }),
  );
};

/**
 * How long work that is ready waits for its turn. It is measured while there are calls, one probe at a time; a single long turn does
 * not count, since the calls that it delayed are over when they are seen.
 */
export class EventLoopLag {
  private readonly nowMs: () => number;
  private readonly afterTurn: AfterTurn;
  private begunAtMs: number | undefined;
  private endedAtMs = Number.NEGATIVE_INFINITY;
  private lastMs = 0;
  private formerMs = 0;

  constructor(nowMs: () => number = () => performance.now(), after: AfterTurn = afterTurn) {
    this.nowMs = nowMs;
    this.afterTurn = after;
  }

  /** Begins a measurement if none is under way, and returns the lag in ms that the last two have in common. */
  look(): number {
    const nowMs = this.nowMs();
    const pendingMs = this.begunAtMs === undefined ? 0 : nowMs - this.begunAtMs;
    if (this.begunAtMs === undefined) {
      if (nowMs - this.endedAtMs > STALE_AFTER_MS) {
        this.lastMs = 0;
        this.formerMs = 0;
      }
      this.begunAtMs = nowMs;
      this.afterTurn(this.end);
    }
    return Math.min(this.lastMs, Math.max(this.formerMs, pendingMs));
  }

  private readonly end = (): void => {
    this.endedAtMs = this.nowMs();
    this.formerMs = this.lastMs;
    this.lastMs = this.endedAtMs - (this.begunAtMs ?? this.endedAtMs);
    this.begunAtMs = undefined;
  };
}
