/**
 * What is in hand, by small numbers that are given out again.
 *
 * For what comes and goes with every call a `Map` or a `Set` costs more than it seems: V8 leaves in each table that one of
 * them has outgrown a reference to the next table, and those to what was in it. Once one of these tables has become old, so
 * does every later one, and with them each call that was in hand when they were outgrown, until the next full collection.
 */
export class Slots<T extends object> {
  private readonly items: (T | undefined)[] = [];
  private readonly free: number[] = [];

  get size(): number {
    return this.items.length - this.free.length;
  }

  /** The number of the item until it is taken out. */
  add(item: T): number {
    const slot = this.free.pop() ?? this.items.length;
    this.items[slot] = item;
    return slot;
  }

  take(slot: number): T | undefined {
    const item = this.items[slot];
    if (!item) return undefined;
    this.items[slot] = undefined;
    this.free.push(slot);
    return item;
  }

  /** All that is in hand now; what is taken out or added meanwhile changes nothing about it. */
  all(): T[] {
    return this.items.filter((item) => item !== undefined);
  }

  takeAll(): T[] {
    const taken = this.all();
    this.items.length = 0;
    this.free.length = 0;
    return taken;
  }
}
