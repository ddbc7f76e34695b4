import type { Call } from '../memory/call.ts';
import type { OpenStreams } from './open-streams.ts';

export type Woken = 'woken' | 'silent' | 'draining';

/** What a stream waits for between messages: something to tell, a silence that is long enough, the end. */
export class StreamWait {
  private readonly signal: AbortSignal;
  private readonly streams: OpenStreams;
  private readonly wholeSilenceMs: number;
  /** The first one is shorter: streams that began together would give their signs of life together for ever. */
  private silenceMs: number;
  private spokeAtMs = performance.now();
  private isWoken = false;
  private settle: (() => void) | undefined;
  private readonly stir = (): void => this.settle?.();

  constructor(call: Call, streams: OpenStreams, silenceMs: number) {
    this.signal = call.signal;
    this.streams = streams;
    this.wholeSilenceMs = silenceMs;
    this.silenceMs = silenceMs * (1 - streams.nextShare() / 2);
    this.signal.addEventListener('abort', this.stir);
    streams.onDrain(this.stir);
  }

  /** There is something to tell. */
  readonly wake = (): void => {
    this.isWoken = true;
    this.settle?.();
  };

  /** A message goes out: the silence begins anew. */
  spoke(): void {
    this.spokeAtMs = performance.now();
  }

  /** Fails with the signal's reason when the call has ended. `forMs` limits the wait, which then ends as `woken`. */
  async next(forMs = Number.POSITIVE_INFINITY): Promise<Woken> {
    const silentInMs = this.spokeAtMs + this.silenceMs - performance.now();
    if (!this.isOver && !this.isWoken && silentInMs > 0 && forMs > 0) await this.pause(Math.min(silentInMs, forMs));
    this.signal.throwIfAborted();
    if (this.streams.isDraining) return 'draining';
    if (!this.isWoken && performance.now() - this.spokeAtMs >= this.silenceMs - 1) {
      this.silenceMs = this.wholeSilenceMs;
      return 'silent';
    }
    this.isWoken = false;
    return 'woken';
  }

  close(): void {
    this.signal.removeEventListener('abort', this.stir);
    this.streams.offDrain(this.stir);
  }

  private get isOver(): boolean {
    return this.signal.aborted || this.streams.isDraining;
  }

  private pause(forMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.settle?.(), forMs);
      this.settle = () => {
        clearTimeout(timer);
        this.settle = undefined;
        resolve();
      };
    });
  }
}
