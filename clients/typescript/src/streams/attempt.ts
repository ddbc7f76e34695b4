import { UnavailableError } from '../errors.ts';
import type { Timing } from './timing.ts';

/** Silence after which a stream counts as broken, until the server has announced its heartbeat interval. */
const SILENCE_MS = 45_000;
/** Number of heartbeats that may be missed. */
const HEARTBEATS_MISSED = 3;

/** Reason of the signal of a stream that was silent for too long: its connection may be dead. */
export class Silence extends Error {}

/** One stream of several that do the same: ended by its caller, or by silence. */
export class Attempt {
  private readonly timing: Timing;
  private readonly controller = new AbortController();
  private readonly outer: AbortSignal | undefined;
  private readonly onFirst: () => void;
  private readonly abort = () => this.controller.abort(this.outer?.reason);
  private silenceMs = SILENCE_MS;
  /** Time of the last message, or of the start. */
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

  /** Aborted by the caller, or after too long a silence. */
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

  /** The reader is busy, so silence is not measured. */
  pause(): void {
    this.isPaused = true;
  }

  /** Sets the maximum interval of the server's heartbeats. */
  expectEvery(heartbeatMs: number): void {
    this.silenceMs = heartbeatMs * HEARTBEATS_MISSED;
    this.watch(this.silenceMs);
  }

  /** The error to report for a stream that ended with this error. */
  causeOf(error: unknown): unknown {
    if (!this.isSilent) return error;
    return new UnavailableError('UNAVAILABLE', this.silenceText, { cause: error });
  }

  stop(): void {
    this.cancelTimer();
    this.outer?.removeEventListener('abort', this.abort);
  }

  private get silenceText(): string {
    return `received nothing for ${this.silenceMs} ms`;
  }

  private watch(afterMs: number): void {
    this.cancelTimer();
    this.cancelTimer = this.timing.setTimer(() => {
      const leftMs = this.isPaused ? this.silenceMs : this.silenceMs - (this.timing.nowMs() - this.heardAtMs);
      if (leftMs > 0) return this.watch(leftMs);
      this.isSilent = true;
      this.controller.abort(new Silence(this.silenceText));
    }, afterMs);
  }
}
