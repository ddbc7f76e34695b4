/** Longest stretch of work between two looks at the event loop. */
const SLICE_MS = 5;

/** Time after which a search is set aside for others: longer than most searches take. */
export const SEARCH_SLICE_MS = 20;

/** Work that may be set aside behind each of its steps; the result is returned, failures are thrown. */
export type Steps<T> = Generator<undefined, T>;

/** Lets a long piece of work on the thread rest: `rest` returns at once until a slice of time is used up. */
export class Slices {
  private readonly sliceMs: number;
  private untilMs: number;

  constructor(sliceMs = SLICE_MS) {
    this.sliceMs = sliceMs;
    this.untilMs = performance.now() + sliceMs;
  }

  /** Serves what waits for the thread where the slice is used up. */
  async rest(): Promise<void> {
    if (performance.now() < this.untilMs) return;
    await new Promise(setImmediate);
    this.untilMs = performance.now() + this.sliceMs;
  }
}
