/**
 * What a stream is to send: filled by whoever has something, emptied by the stream as fast as its reader takes it. Whoever
 * fills it sees to it that it stays small.
 */
export class Outbox<T> {
  private items: T[] = [];
  private isFinished = false;
  private failure: { readonly error: unknown } | undefined;
  private wake: (() => void) | undefined;
  private timer: NodeJS.Timeout | undefined;
  private readonly silenceMs: number;

  /** After `silenceMs` without an item the stream is to send a sign of life. */
  constructor(silenceMs: number) {
    this.silenceMs = silenceMs;
  }

  push(item: T): void {
    this.items.push(item);
    this.wake?.();
  }

  /** Nothing more will come; what is there is still sent. */
  finish(): void {
    this.isFinished = true;
    this.wake?.();
  }

  /** Ends the stream with this error, after what has gathered. */
  fail(error: unknown): void {
    this.failure ??= { error };
    this.wake?.();
  }

  /** All that has gathered, again and again; nothing at all after a silence. Leaving the loop closes the box. */
  async *batches(): AsyncGenerator<T[], void, undefined> {
    try {
      for (;;) {
        if (this.items.length === 0 && !this.isFinished && !this.failure) await this.change();
        if (this.items.length === 0 && this.failure) throw this.failure.error;
        if (this.items.length === 0 && this.isFinished) return;
        const batch = this.items;
        this.items = [];
        yield batch;
      }
    } finally {
      clearTimeout(this.timer);
    }
  }

  private change(): Promise<void> {
    return new Promise((resolve) => {
      // A literal assigned to the field would be one of V8's old objects at once, for each wait.
      const wake = () => {
        this.wake = undefined;
        resolve();
      };
      this.wake = wake;
      if (this.timer) this.timer.refresh();
      else this.timer = setTimeout(() => this.wake?.(), this.silenceMs);
    });
  }
}
