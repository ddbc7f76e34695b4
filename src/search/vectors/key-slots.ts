const PAGE_KEYS = 1024;
const PAGE_OVERHEAD_BYTES = 200;

interface Page {
  /** Slot plus one of each key; 0 for a key that is not there. */
  readonly slots: Int32Array;
  used: number;
}

/**
 * Slot of each key, in tables of consecutive keys: the row keys of a namespace are dense, and a lookup in a map of all
 * of them costs more than the comparison with the row.
 */
export class KeySlots {
  private readonly pages = new Map<number, Page>();
  /** Number of the first page that was used: the others are counted from it, so that all are small integers. */
  private base: number | undefined;

  get bytes(): number {
    return this.pages.size * (4 * PAGE_KEYS + PAGE_OVERHEAD_BYTES);
  }

  /** -1 when the key is not there. */
  get(key: number): number {
    const number = Math.floor(key / PAGE_KEYS);
    const page = this.pages.get(number - (this.base ?? 0));
    return page ? (page.slots[key - number * PAGE_KEYS] as number) - 1 : -1;
  }

  /** The slots of the keys that are there, in their order. Keys in rising order are looked up fastest. */
  all(keys: ArrayLike<number>): Uint32Array {
    const found = new Uint32Array(keys.length);
    let count = 0;
    let first = Number.POSITIVE_INFINITY;
    let page: Page | undefined;
    for (let at = 0; at < keys.length; at++) {
      const key = keys[at] as number;
      if (!(key >= first && key < first + PAGE_KEYS)) {
        const number = Math.floor(key / PAGE_KEYS);
        first = number * PAGE_KEYS;
        page = this.pages.get(number - (this.base ?? 0));
      }
      const slot = page ? (page.slots[key - first] as number) : 0;
      if (slot > 0) found[count++] = slot - 1;
    }
    return found.subarray(0, count);
  }

  set(key: number, slot: number): void {
    const number = Math.floor(key / PAGE_KEYS);
    this.base ??= number;
    let page = this.pages.get(number - this.base);
    if (!page) {
      page = { slots: new Int32Array(PAGE_KEYS), used: 0 };
      this.pages.set(number - this.base, page);
    }
    const place = key - number * PAGE_KEYS;
    if (page.slots[place] === 0) page.used++;
    page.slots[place] = slot + 1;
  }

  delete(key: number): void {
    const number = Math.floor(key / PAGE_KEYS);
    const page = this.pages.get(number - (this.base ?? 0));
    const place = key - number * PAGE_KEYS;
    if (!page || page.slots[place] === 0) return;
    page.slots[place] = 0;
    page.used--;
    if (page.used === 0) this.pages.delete(number - (this.base ?? 0));
  }
}
