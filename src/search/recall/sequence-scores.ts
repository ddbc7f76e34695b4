const ROOM_AT_FIRST = 1024;

/**
 * Scores above 0 of memories of one namespace, by sequence. A dense array of which only written elements are cleared:
 * one instance serves consecutive queries.
 */
export class SequenceScores {
  /** 0 where there is none. Good until the next `makeRoom`. */
  values = new Float64Array(ROOM_AT_FIRST);
  private sequences = new Uint32Array(ROOM_AT_FIRST);
  /** How many memories have one. */
  size = 0;

  static from(entries: Iterable<readonly [sequence: number, score: number]>): SequenceScores {
    const scores = new SequenceScores();
    for (const [sequence, score] of entries) {
      scores.ensureCapacity(sequence + 1);
      scores.add(sequence, score);
    }
    return scores;
  }

  /** Clears all scores and allocates sequences below `end`. */
  clear(end = 0): void {
    const { values, sequences } = this;
    for (let i = 0; i < this.size; i++) values[sequences[i] as number] = 0;
    this.size = 0;
    this.ensureCapacity(end);
  }

  /** Adds to the score of a sequence below `end`. */
  add(sequence: number, score: number): void {
    const { values } = this;
    const had = values[sequence] as number;
    if (had === 0 && score > 0) this.sequences[this.size++] = sequence;
    values[sequence] = had + score;
  }

  get(sequence: number): number {
    return this.values[sequence] ?? 0;
  }

  /** In the order in which they were first scored; a view that is good until the next change. */
  get found(): Uint32Array {
    return this.sequences.subarray(0, this.size);
  }

  ensureCapacity(end: number): void {
    if (end <= this.values.length) return;
    const capacity = Math.ceil(end * 1.25);
    const values = new Float64Array(capacity);
    values.set(this.values);
    const sequences = new Uint32Array(capacity);
    sequences.set(this.sequences);
    [this.values, this.sequences] = [values, sequences];
  }
}
