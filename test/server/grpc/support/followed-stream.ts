import type { ClientReadableStream, ServiceError } from '@grpc/grpc-js';

/** The messages of a stream that a test has received. */
export class FollowedStream<M> {
  readonly messages: M[] = [];
  ended: ServiceError | true | undefined;
  readonly stream: ClientReadableStream<M>;
  private waiting: (() => void)[] = [];

  constructor(stream: ClientReadableStream<M>) {
    this.stream = stream;
    stream.on('data', (message: M) => {
      this.messages.push(message);
      this.stir();
    });
    stream.on('error', (error: ServiceError) => this.end(error));
    stream.on('end', () => this.end(true));
  }

  /** Resolves with the first matching message, including earlier ones; fails when the stream ends first. */
  async until(fits: (message: M, at: number) => boolean, timeoutMs = 60_000): Promise<M> {
    let at = 0;
    const give = Date.now() + timeoutMs;
    for (;;) {
      for (; at < this.messages.length; at++) {
        const message = this.messages[at];
        if (message !== undefined && fits(message, at)) return message;
      }
      if (this.ended) throw this.ended === true ? new Error('the stream has ended') : this.ended;
      if (Date.now() > give) throw new Error(`nothing that fits among ${at} messages in ${timeoutMs} ms`);
      await this.change(give - Date.now());
    }
  }

  /** How the stream ends. */
  async outcome(timeoutMs = 60_000): Promise<ServiceError | true> {
    const give = Date.now() + timeoutMs;
    while (!this.ended) {
      if (Date.now() > give) throw new Error(`the stream is still open after ${timeoutMs} ms`);
      await this.change(give - Date.now());
    }
    return this.ended;
  }

  cancel(): void {
    this.stream.cancel();
  }

  private end(how: ServiceError | true): void {
    this.ended ??= how;
    this.stir();
  }

  private stir(): void {
    for (const wake of this.waiting.splice(0)) wake();
  }

  private change(timeoutMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, timeoutMs);
      this.waiting.push(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }
}
