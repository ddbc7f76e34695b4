import { MnemeError } from '../memory/errors.ts';

/** The long streams of a server: how many each caller has open, and that they are to end. */
export class OpenStreams {
  private readonly perCallerMax: number;
  private readonly byCaller = new Map<string, number>();
  /** Told once. No event target, which would look through all of them for each one more. */
  private readonly drainers = new Set<() => void>();
  private isDrainingNow = false;
  private onEmpty: (() => void) | undefined;
  private open = 0;

  constructor(options: { readonly perCallerMax: number }) {
    this.perCallerMax = options.perCallerMax;
  }

  get count(): number {
    return this.open;
  }

  /** True when the server is about to stop. */
  get isDraining(): boolean {
    return this.isDrainingNow;
  }

  /** `drain` is called when the server is about to stop, until `offDrain`. */
  onDrain(drain: () => void): void {
    this.drainers.add(drain);
  }

  offDrain(drain: () => void): void {
    this.drainers.delete(drain);
  }

  /** Counts a stream until the function returned is called. Fails with TOO_MANY_STREAMS. */
  enter(caller: string): () => void {
    const count = this.byCaller.get(caller) ?? 0;
    if (count >= this.perCallerMax) {
      const limit = String(this.perCallerMax);
      throw new MnemeError('TOO_MANY_STREAMS', `the caller has ${limit} streams open, as many as it may`, {
        metadata: { limit },
      });
    }
    this.byCaller.set(caller, count + 1);
    this.open++;
    return () => this.leave(caller);
  }

  /** Tells all streams to end; resolves when they have, at the latest after `waitMs`. */
  drain(waitMs: number): Promise<void> {
    this.isDrainingNow = true;
    for (const drain of [...this.drainers]) drain();
    if (this.open === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, waitMs);
      this.onEmpty = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  private leave(caller: string): void {
    const count = this.byCaller.get(caller) ?? 0;
    if (count <= 1) this.byCaller.delete(caller);
    else this.byCaller.set(caller, count - 1);
    if (--this.open === 0) this.onEmpty?.();
  }
}

export function draining(): MnemeError {
  return new MnemeError('DRAINING', 'the server is shutting down');
}
