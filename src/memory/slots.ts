/**
 * Items in progress, under small reusable numbers.
 *
 * A `Map` or a `Set` is more expensive than it seems for items that come and go with every call: V8 leaves in each
 * table that one of them has outgrown a reference to the next table, and references to its former entries. Once one of
 * these tables has been promoted to the old generation, every later one is promoted too, with every call that was in
 * progress when it was outgrown, until the next full collection.
 */
export class Slots<T extends object> {
  private readonly items: (T | undefined)[] = [];
  private readonly free: number[] = [];

  get size(): number {
    return this.items.length - this.free.length;
  }

  /** Returns the number of the item, valid until it is removed. */
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

  /** A copy of all current items: later additions and removals do not change it. */
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
