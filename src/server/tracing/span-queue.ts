import type { ReadableSpan, SpanProcessor } from '@opentelemetry/sdk-trace';
import type { SendOutcome } from './send-spans.ts';

export interface SpanQueueOptions {
  send(spans: ReadableSpan[], stopping: AbortSignal): Promise<SendOutcome>;
  /** Spans that wait; more are dropped. */
  readonly queueMax: number;
  /** Called when the collector begins to fail, with the reason, and when it takes spans again. */
  onChange(failure: string | undefined): void;
}

/** Spans of one request. */
const BATCH_MAX = 512;
/** Time in which spans gather for one request. */
const GATHER_MS = 1000;
/** Pause after a failure; twice as long after each further one. */
const PAUSE_FIRST_MS = 1000;
const PAUSE_MAX_MS = 30_000;
/** Longest wait for the last spans at the end. */
const CLOSE_MS = 2000;
const SAMPLED = 1;

/** Sends ended spans to the collector, a batch at a time. A slow or absent collector costs spans, which are counted. */
export class SpanQueue implements SpanProcessor {
  readonly counts = { exported: 0, failed: 0, dropped: 0 };
  private readonly options: SpanQueueOptions;
  private readonly stopping = new AbortController();
  private waiting: ReadableSpan[] = [];
  private sending: Promise<void> | undefined;
  private timer: NodeJS.Timeout | undefined;
  private failureCount = 0;
  private isPaused = false;

  constructor(options: SpanQueueOptions) {
    this.options = options;
  }

  onStart(): void {}

  onEnd(span: ReadableSpan): void {
    if ((span.spanContext().traceFlags & SAMPLED) === 0) return;
    if (this.waiting.length >= this.options.queueMax || this.stopping.signal.aborted) {
      this.counts.dropped++;
      return;
    }
    this.waiting.push(span);
    if (this.sending || this.isPaused) return;
    if (this.waiting.length >= BATCH_MAX) void this.forceFlush();
    else this.timer ??= setTimeout(() => void this.forceFlush(), GATHER_MS).unref();
  }

  /** Resolves when all spans that wait have been sent, or the collector has failed. */
  forceFlush(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.isPaused = false;
    this.sending ??= this.sendAll().finally(() => {
      this.sending = undefined;
    });
    return this.sending;
  }

  async shutdown(): Promise<void> {
    const timer = setTimeout(() => this.stopping.abort(), CLOSE_MS);
    // A request in hand may have begun without the last spans.
    await this.sending;
    await this.forceFlush();
    clearTimeout(timer);
    this.stopping.abort();
    clearTimeout(this.timer);
    this.counts.dropped += this.waiting.length;
    this.waiting = [];
  }

  /** Spans stay in the queue until it is known what has become of them. */
  private async sendAll(): Promise<void> {
    const { signal } = this.stopping;
    while (this.waiting.length > 0 && !signal.aborted) {
      const batch = this.waiting.slice(0, BATCH_MAX);
      const outcome = await this.options.send(batch, signal);
      if (outcome.kind === 'passing') {
        this.failed(outcome.reason);
        this.pause();
        return;
      }
      this.waiting.splice(0, batch.length);
      if (outcome.kind === 'refused') {
        this.counts.failed += batch.length;
        this.failed(outcome.reason);
        continue;
      }
      this.counts.failed += outcome.rejectedCount;
      this.counts.exported += batch.length - outcome.rejectedCount;
      if (this.failureCount > 0) this.options.onChange(undefined);
      this.failureCount = 0;
    }
  }

  private failed(reason: string): void {
    if (this.failureCount++ === 0 && !this.stopping.signal.aborted) this.options.onChange(reason);
  }

  private pause(): void {
    if (this.stopping.signal.aborted) return;
    const pauseMs = Math.min(PAUSE_FIRST_MS * 2 ** (this.failureCount - 1), PAUSE_MAX_MS);
    this.isPaused = true;
    this.timer ??= setTimeout(() => void this.forceFlush(), pauseMs).unref();
  }
}
