import type { Micros } from '../memory.ts';

/** The values of a stretch of time that moves forward, sorted. */
export class SlidingValues {
  private readonly sorted: number[] = [];
  private readonly queue: { readonly atUs: Micros; readonly value: number }[] = [];
  private first = 0;

  get values(): readonly number[] {
    return this.sorted;
  }

  /** `atUs` is not before that of the value added last. */
  add(atUs: Micros, value: number): void {
    this.queue.push({ atUs, value });
    this.sorted.splice(this.placeOf(value), 0, value);
  }

  dropBefore(fromUs: Micros): void {
    for (;;) {
      const oldest = this.queue[this.first];
      if (!oldest || oldest.atUs >= fromUs) return;
      this.sorted.splice(this.placeOf(oldest.value), 1);
      this.first++;
    }
  }

  /** Place of the first value that is not smaller. */
  private placeOf(value: number): number {
    let [low, high] = [0, this.sorted.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.sorted[middle] ?? 0) < value) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
