import { reusedFloats } from '../../memory/floats.ts';
import { CodedRows } from './coded-rows.ts';
import { ExactVectorIndex } from './exact.ts';
import { directionOf, Nearest } from './nearest.ts';
import type { ExactRows } from './row-file.ts';
import { SettledVectors } from './settled-vectors.ts';
import { UsearchGraph } from './usearch.ts';
import type { FirstNeighbors, GrowingIndex, Neighbor, VectorSearchOptions } from './vector-index.ts';
import type { VectorMatrix } from './vector-matrix.ts';

export interface LayeredOptions {
  readonly dimension: number;
  /** Maximum number of vectors without a graph: up to it, comparing with all of them is fast enough and exact. */
  readonly exactMax: number;
  /** Creates the place of exact vectors, empty. */
  readonly newRows: () => ExactRows;
  /** Minimum number of nodes that a search of the graph considers: weakly clustered vectors need more. */
  readonly expansionSearch?: number;
  /** Monotonic, for `advance`. */
  readonly nowMs?: () => number;
}

const monotonicMs = () => performance.now();
/** For rows that are copied into a matrix immediately. */
const rowFloats = reusedFloats();
/** Vectors that are moved out of memory between two looks at the clock: some 0.2 ms. */
const MOVED_AT_ONCE = 32;
const BLOCKED_MS = 60_000;

/**
 * The index for production. Every vector is in one of two layers: new ones are `fresh`, in full in memory; above `exactMax`,
 * `advance` moves them into the `settled` layer, which keeps bytes of them in memory and a graph. A search sees every change
 * immediately, whatever the progress of the graph.
 */
export class LayeredVectorIndex implements GrowingIndex {
  readonly dimension: number;
  private readonly options: LayeredOptions;
  readonly fresh: ExactVectorIndex;
  private settledNow: SettledVectors | undefined;
  /** Vectors stay in memory until then, because the disk took none. */
  private blockedUntilMs = Number.NEGATIVE_INFINITY;
  /** Of layers that are no more. */
  private damaged: number[] = [];
  /** Vectors ever found damaged, which are set again without an entry in the change log. */
  damagedCount = 0;

  constructor(options: LayeredOptions, parts: { fresh?: VectorMatrix; settled?: SettledVectors } = {}) {
    this.options = options;
    this.dimension = options.dimension;
    this.fresh = new ExactVectorIndex(options.dimension, parts.fresh);
    this.settledNow = parts.settled;
  }

  get settled(): SettledVectors | undefined {
    return this.settledNow;
  }

  get size(): number {
    return this.fresh.size + (this.settled?.size ?? 0);
  }

  /** Vectors that every search compares with. */
  get exactCount(): number {
    return this.fresh.size + (this.settled?.waitingSlots.length ?? 0);
  }

  get bytes(): number {
    return this.fresh.matrix.bytes + (this.settled?.bytes ?? 0);
  }

  set(key: number, vector: Float32Array): void {
    const unit = directionOf(vector, this.dimension, rowFloats);
    this.settled?.remove(key);
    this.fresh.matrix.put(key, unit);
  }

  has(key: number): boolean {
    return this.fresh.matrix.slotOf(key) >= 0 || this.settled?.has(key) === true;
  }

  delete(key: number): boolean {
    return this.fresh.delete(key) || this.settled?.remove(key) === true;
  }

  search(query: Float32Array, limit: number, options: VectorSearchOptions = {}): Neighbor[] {
    const unit = directionOf(query, this.dimension);
    const nearest = new Nearest(limit);
    this.fresh.collect(unit, limit, options, nearest);
    this.settled?.collect(unit, limit, options, nearest);
    return nearest.take();
  }

  searchFirst(query: Float32Array, limit: number, first: number, options: VectorSearchOptions = {}): FirstNeighbors {
    const unit = directionOf(query, this.dimension);
    const fresh = new Nearest(limit);
    this.fresh.collect(unit, limit, options, fresh);
    const freshCount = fresh.size;
    const nearest = fresh.best(Math.min(limit, first));
    const settledCount = this.settled?.collect(unit, limit, options, nearest) ?? 0;
    return { neighbors: nearest.take(), count: Math.min(limit, freshCount + settledCount) };
  }

  /**
   * Moves vectors out of memory and then into the graph for about `budgetMs`, at least a few, at some 0.2 ms each. False when
   * the graph is complete.
   */
  advance(budgetMs: number): boolean {
    this.dropGraphIfUseless();
    const nowMs = this.options.nowMs ?? monotonicMs;
    const beganMs = nowMs();
    const untilMs = beganMs + budgetMs;
    const isDue = this.settled !== undefined || this.size > this.options.exactMax;
    while (isDue && this.fresh.size > 0 && beganMs >= this.blockedUntilMs) {
      this.settleFresh(beganMs);
      if (nowMs() >= untilMs) return true;
    }
    const { settled } = this;
    while (settled?.grow()) if (nowMs() >= untilMs) break;
    return settled !== undefined && settled.waitingSlots.length > 0;
  }

  takeDamaged(): number[] {
    const keys = [...this.damaged.splice(0), ...(this.settled?.takeDamaged() ?? [])];
    this.damagedCount += keys.length;
    return keys;
  }

  close(): void {
    this.settled?.close();
    this.settledNow = undefined;
  }

  /** Throws when the disk cannot take them: they stay fresh, and it is tried again after some time. */
  private settleFresh(nowMs: number): void {
    const { matrix } = this.fresh;
    try {
      this.settledNow ??= this.newSettled();
      for (let i = 0; i < MOVED_AT_ONCE && matrix.size > 0; i++) {
        const key = matrix.keyAt(matrix.size - 1);
        this.settledNow.add(key, matrix.rowAt(matrix.size - 1));
        matrix.remove(key);
      }
    } catch (error) {
      this.blockedUntilMs = nowMs + BLOCKED_MS;
      throw error;
    }
  }

  private newSettled(): SettledVectors {
    const { dimension, options } = this;
    const graph = new UsearchGraph(dimension, options.expansionSearch);
    return new SettledVectors({ codes: new CodedRows(dimension), rows: options.newRows(), graph, waiting: [] });
  }

  /**
   * Begins a new graph when more than half of the slots of this one belong to removed vectors, which slow down every
   * search. Makes all vectors fresh when there are too few for a graph.
   */
  private dropGraphIfUseless(): void {
    const { settled, size, options } = this;
    if (!settled) return;
    if (size < options.exactMax / 2) {
      for (const [key, unit] of settled.vectors()) this.fresh.matrix.put(key, unit);
      this.damaged.push(...settled.takeDamaged());
      this.close();
    } else if (size < settled.graph.slots / 2) {
      this.settledNow = settled.regrown(new UsearchGraph(this.dimension, options.expansionSearch));
    }
  }
}
