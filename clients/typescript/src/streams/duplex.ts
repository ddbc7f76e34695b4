import type { ClientDuplexStream } from '@grpc/grpc-js';
import type { Connection } from '../connection.ts';
import type { Timing } from './timing.ts';

/** Sends over a stream no faster than the receiver reads, with heartbeats when idle. */
export class Sender<Request> {
  private readonly stream: ClientDuplexStream<Request, unknown>;
  private readonly timing: Timing;
  private readonly heartbeat: Request;
  private readonly heartbeatMs: number;
  private sentAtMs: number;
  private cancelTimer = () => {};
  private drained: Promise<void> | undefined;
  private isEnded = false;

  constructor(stream: ClientDuplexStream<Request, unknown>, { timing, heartbeatMs }: Connection, heartbeat: Request) {
    this.stream = stream;
    this.timing = timing;
    this.heartbeatMs = heartbeatMs;
    this.heartbeat = heartbeat;
    this.sentAtMs = timing.nowMs();
    this.watch(heartbeatMs);
  }

  /** True while the stream accepts more without buffering in memory. */
  get isReady(): boolean {
    return this.drained === undefined && !this.isEnded;
  }

  /** Resolves when more can be sent, or when the stream ends. */
  get ready(): Promise<void> | undefined {
    return this.drained;
  }

  send(request: Request): void {
    if (this.isEnded) return;
    this.sentAtMs = this.timing.nowMs();
    if (this.stream.write(request) || this.drained) return;
    this.drained = new Promise((resolve) => {
      const done = () => {
        this.drained = undefined;
        resolve();
      };
      this.stream.once('drain', done).once('close', done).once('error', done);
    });
  }

  /** Half-closes the stream; answers still arrive. */
  end(): void {
    this.stop();
    this.stream.end();
  }

  stop(): void {
    this.isEnded = true;
    this.cancelTimer();
  }

  private watch(afterMs: number): void {
    this.cancelTimer = this.timing.setTimer(() => {
      const leftMs = this.heartbeatMs - (this.timing.nowMs() - this.sentAtMs);
      if (leftMs <= 0 && this.isReady) this.send(this.heartbeat);
      this.watch(leftMs > 0 ? leftMs : this.heartbeatMs);
    }, afterMs);
  }
}
