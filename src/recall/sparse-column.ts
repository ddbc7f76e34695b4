const ROOM_AT_FIRST = 1024;

/** Numbers by sequence that most namespaces have none of: takes no memory before the first. */
export class SparseColumn {
  private values = new Float64Array(0);

  /** `NaN` where there is none. */
  at(sequence: number): number {
    return this.values[sequence] ?? Number.NaN;
  }

  set(sequence: number, value: number | undefined): void {
    if (value === undefined && sequence >= this.values.length) return;
    if (sequence >= this.values.length) this.makeRoom(sequence);
    this.values[sequence] = value ?? Number.NaN;
  }

  get bytes(): number {
    return this.values.byteLength;
  }

  private makeRoom(sequence: number): void {
    let room = Math.max(ROOM_AT_FIRST, this.values.length);
    while (room <= sequence) room *= 2;
    const grown = new Float64Array(room).fill(Number.NaN);
    grown.set(this.values);
    this.values = grown;
  }
}
