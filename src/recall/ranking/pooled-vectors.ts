import { Nearest } from '../../vector-index/nearest.ts';
import { bestOf } from './lane-scores.ts';
import type { Sought } from './question.ts';

const ROOM_AT_FIRST = 1024;
const LEVELS = 127;
/** Of a question's vector in the rough look: so fine that its rounding decides nothing. */
const QUERY_LEVELS = 65_535;
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
  /** Room that one rough look after the other works in. */
  private rough = new Float64Array(0);
  private found = new Uint32Array(0);

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

  /** As `bytesOf` and `shrinkOf` gave it. */
  putBytes(sequence: number, bytes: Int8Array, shrink: number): void {
    this.makeRoom(sequence);
    this.end = Math.max(this.end, sequence + 1);
    this.values.set(bytes, sequence * this.dimensions);
    this.shrinks[sequence] = shrink;
  }

  /** A view that is good until the next change. */
  bytesOf(sequence: number): Int8Array {
    return this.values.subarray(sequence * this.dimensions, (sequence + 1) * this.dimensions);
  }

  /** One over the vector's length; 0 for a memory without one. */
  shrinkOf(sequence: number): number {
    return this.shrinks[sequence] ?? 0;
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
  nearest(unit: Float32Array, count: number, { isAllowed, among }: Sought = {}): number[] {
    const levels = levelsOf(unit.subarray(0, ROUGH_DIMENSIONS));
    if (this.rough.length < this.end) {
      this.rough = new Float64Array(this.shrinks.length);
      this.found = new Uint32Array(this.shrinks.length);
    }
    const { rough: values, found, shrinks } = this;
    let foundCount = 0;
    const end = among?.length ?? this.end;
    for (let at = 0; at < end; at++) {
      const sequence = among?.[at] ?? at;
      const near = this.roughDot(sequence, levels) * (shrinks[sequence] as number);
      if (!(near > 0)) continue;
      values[sequence] = near;
      found[foundCount++] = sequence;
    }
    const near = bestOf({ values, found: found.subarray(0, foundCount) }, count * ROUGH_FACTOR, isAllowed);
    const nearest = new Nearest(count);
    for (const sequence of near) nearest.offer(sequence, this.cosine(sequence, unit));
    return nearest.take().map(({ key }) => key);
  }

  /** By place in the sequences. */
  cosines(sequences: readonly number[], unit: Float32Array): Float64Array {
    const cosines = new Float64Array(sequences.length);
    for (let at = 0; at < cosines.length; at++) cosines[at] = this.cosine(sequences[at] as number, unit);
    return cosines;
  }

  get bytes(): number {
    return this.values.byteLength + this.shrinks.byteLength;
  }

  /** Whole numbers alone: half the work of the same in floating point. */
  private roughDot(sequence: number, levels: Int32Array): number {
    const { values } = this;
    const from = sequence * this.dimensions;
    let [a, b] = [0, 0];
    for (let d = 0; d < levels.length; d += 2) {
      a = (a + Math.imul(values[from + d] as number, levels[d] as number)) | 0;
      b = (b + Math.imul(values[from + d + 1] as number, levels[d + 1] as number)) | 0;
    }
    return a + b;
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

/** An even number of whole numbers in proportion to the values. */
function levelsOf(values: Float32Array): Int32Array {
  const greatest = values.reduce((most, value) => Math.max(most, Math.abs(value)), 0) || 1;
  const levels = new Int32Array(values.length + (values.length % 2));
  values.forEach((value, d) => {
    levels[d] = Math.round((value * QUERY_LEVELS) / greatest);
  });
  return levels;
}
