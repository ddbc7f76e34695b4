import { UnavailableError } from '../errors.ts';
import type { Timing } from './timing.ts';

/** Silence after which a stream is taken for dead, until the server has said how often it gives signs of life. */
const SILENCE_MS = 45_000;
/** Signs of life that may be missing. */
const HEARTBEATS_MISSED = 3;

/** One stream of several that do the same: ended by its caller, or by silence. */
export class Attempt {
  private readonly timing: Timing;
  private readonly controller = new AbortController();
  private readonly outer: AbortSignal | undefined;
  private readonly onFirst: () => void;
  private readonly abort = () => this.controller.abort(this.outer?.reason);
  private silenceMs = SILENCE_MS;
  /** When something was last heard, or when it began. */
  heardAtMs: number;
  hasHeard = false;
  private cancelTimer = () => {};
  private isPaused = false;
  private isSilent = false;

  constructor(timing: Timing, signal: AbortSignal | undefined, onFirst = () => {}) {
    this.timing = timing;
    this.outer = signal;
    this.onFirst = onFirst;
    this.heardAtMs = timing.nowMs();
    if (signal?.aborted) this.abort();
    signal?.addEventListener('abort', this.abort, { once: true });
    this.watch(this.silenceMs);
  }

  /** Aborted when the caller says so, or when nothing has been heard for too long. */
  get signal(): AbortSignal {
    return this.controller.signal;
  }

  heard(): void {
    this.isPaused = false;
    this.heardAtMs = this.timing.nowMs();
    if (this.hasHeard) return;
    this.hasHeard = true;
    this.onFirst();
  }

  /** Nobody listens for a while, so nothing is missed. */
  pause(): void {
    this.isPaused = true;
  }

  /** The server gives a sign of life at least this often. */
  expectEvery(heartbeatMs: number): void {
    this.silenceMs = heartbeatMs * HEARTBEATS_MISSED;
    this.watch(this.silenceMs);
  }

  /** What to tell of a stream that ended with this error. */
  causeOf(error: unknown): unknown {
    if (!this.isSilent) return error;
    return new UnavailableError('UNAVAILABLE', `nothing was heard for ${this.silenceMs} ms`, { cause: error });
  }

  stop(): void {
    this.cancelTimer();
    this.outer?.removeEventListener('abort', this.abort);
  }

  private watch(afterMs: number): void {
    this.cancelTimer();
    this.cancelTimer = this.timing.setTimer(() => {
      const leftMs = this.isPaused ? this.silenceMs : this.silenceMs - (this.timing.nowMs() - this.heardAtMs);
      if (leftMs > 0) return this.watch(leftMs);
      this.isSilent = true;
      this.controller.abort();
    }, afterMs);
  }
}
