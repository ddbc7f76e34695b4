const ROOM_AT_FIRST = 1024;
/** Share of the room that is used at most. */
const FULL = 0.7;
const MIX = 0x9e3779b97f4a7c15n;

/** Counts how often digests came, in 12 bytes for each place of a table: some 20 to 35 bytes a digest. */
export class Occurrences {
  /** First 8 bytes of each digest; 0 is an empty place. */
  private keys = new BigUint64Array(ROOM_AT_FIRST);
  private counts = new Uint32Array(ROOM_AT_FIRST);
  private size = 0;

  /** How often the digest has come by now: 1 for the first time. */
  next(digest: Buffer): number {
    if (this.size >= this.keys.length * FULL) this.grow();
    const key = digest.readBigUInt64LE() || MIX;
    const place = this.placeOf(key);
    if (this.keys[place] === 0n) {
      this.keys[place] = key;
      this.size++;
    }
    const count = (this.counts[place] ?? 0) + 1;
    this.counts[place] = count;
    return count;
  }

  has(digest: Buffer): boolean {
    return this.keys[this.placeOf(digest.readBigUInt64LE() || MIX)] !== 0n;
  }

  private placeOf(key: bigint): number {
    const mask = this.keys.length - 1;
    let place = Number(key & BigInt(mask));
    while (this.keys[place] !== 0n && this.keys[place] !== key) place = (place + 1) & mask;
    return place;
  }

  private grow(): void {
    const { keys, counts } = this;
    this.keys = new BigUint64Array(keys.length * 2);
    this.counts = new Uint32Array(keys.length * 2);
    keys.forEach((key, at) => {
      if (key === 0n) return;
      const place = this.placeOf(key);
      this.keys[place] = key;
      this.counts[place] = counts[at] ?? 0;
    });
  }
}
