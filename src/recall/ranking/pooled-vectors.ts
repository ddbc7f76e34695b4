import { Nearest } from '../../vector-index/nearest.ts';

const ROOM_AT_FIRST = 1024;
const LEVELS = 127;
/** The table's axes are principal components: the first of them decide nearly alone who is near. */
const ROUGH_DIMENSIONS = 64;
/** How many times more than are wanted pass the rough look. */
const ROUGH_FACTOR = 4;

/** Pooled vectors of memories as signed bytes, and their cosines to any vector: `dimensions` + 4 bytes a memory. */
export class PooledVectors {
  readonly dimensions: number;
  private values: Int8Array;
  private end = 0;
  /** One over the length of each vector; 0 for a memory without one. */
  private shrinks = new Float32Array(ROOM_AT_FIRST);

  constructor(dimensions: number) {
    this.dimensions = dimensions;
    this.values = new Int8Array(ROOM_AT_FIRST * dimensions);
  }

  put(sequence: number, vector: Float32Array | undefined): void {
    this.makeRoom(sequence);
    this.end = Math.max(this.end, sequence + 1);
    this.shrinks[sequence] = 0;
    if (!vector) return;
    const greatest = vector.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
    if (!(greatest > 0)) return;
    const from = sequence * this.dimensions;
    let squares = 0;
    for (let d = 0; d < this.dimensions; d++) {
      const level = Math.round(((vector[d] ?? 0) * LEVELS) / greatest);
      this.values[from + d] = level;
      squares += level * level;
    }
    this.shrinks[sequence] = 1 / Math.sqrt(squares);
  }

  remove(sequence: number): void {
    if (sequence < this.end) this.shrinks[sequence] = 0;
  }

  /** `unit` is of length 1. 0 for a memory without a vector. */
  cosine(sequence: number, unit: Float32Array): number {
    const shrink = this.shrinks[sequence] ?? 0;
    if (shrink === 0) return 0;
    return this.dot(sequence, unit, this.dimensions) * shrink;
  }

  /** The nearest to `unit` of those that are allowed, nearest first; a rough look at all of them leaves few to compare. */
  nearest(unit: Float32Array, count: number, isAllowed?: (sequence: number) => boolean): number[] {
    const roughly = Math.min(ROUGH_DIMENSIONS, this.dimensions);
    const rough = new Nearest(count * ROUGH_FACTOR);
    for (let sequence = 1; sequence < this.end; sequence++) {
      const near = this.dot(sequence, unit, roughly) * (this.shrinks[sequence] as number);
      if (near > 0 && near > rough.floor && (!isAllowed || isAllowed(sequence))) rough.offer(sequence, near);
    }
    const nearest = new Nearest(count);
    for (const { key } of rough.take()) nearest.offer(key, this.cosine(key, unit));
    return nearest.take().map(({ key }) => key);
  }

  /** By place in the sequences. */
  cosines(sequences: readonly number[], unit: Float32Array): Float64Array {
    const cosines = new Float64Array(sequences.length);
    for (let at = 0; at < cosines.length; at++) cosines[at] = this.cosine(sequences[at] as number, unit);
    return cosines;
  }

  /** The middle of several memories at length 1; zeros where none has a vector. */
  centroid(sequences: readonly number[]): Float32Array {
    const sum = new Float32Array(this.dimensions);
    for (const sequence of sequences) {
      const from = sequence * this.dimensions;
      const shrink = this.shrinks[sequence] ?? 0;
      for (let d = 0; d < this.dimensions; d++) sum[d] = (sum[d] as number) + shrink * (this.values[from + d] ?? 0);
    }
    const length = Math.sqrt(sum.reduce((squares, value) => squares + value * value, 0));
    return length > 0 ? sum.map((value) => value / length) : sum;
  }

  get bytes(): number {
    return this.values.byteLength + this.shrinks.byteLength;
  }

  private dot(sequence: number, unit: Float32Array, dimensions: number): number {
    const { values } = this;
    const from = sequence * this.dimensions;
    let sum = 0;
    for (let d = 0; d < dimensions; d++) sum += (values[from + d] as number) * (unit[d] as number);
    return sum;
  }

  private makeRoom(sequence: number): void {
    if (sequence < this.shrinks.length) return;
    const room = Math.ceil((sequence + 1) * 1.5);
    const values = new Int8Array(room * this.dimensions);
    values.set(this.values);
    const shrinks = new Float32Array(room);
    shrinks.set(this.shrinks);
    [this.values, this.shrinks] = [values, shrinks];
  }
}
