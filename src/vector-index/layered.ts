import { reusedFloats } from '../memory/floats.ts';
import { ExactVectorIndex } from './exact.ts';
import { directionOf, Nearest } from './nearest.ts';
import { UsearchGraph } from './usearch.ts';
import type { Neighbor, VectorIndex, VectorSearchOptions } from './vector-index.ts';
import type { FrozenRows, VectorMatrix } from './vector-matrix.ts';

export interface LayeredOptions {
  readonly dimension: number;
  /** Maximum number of vectors without a graph: up to it, comparing with all of them is fast enough and exact. */
  readonly exactMax: number;
  /** Minimum number of nodes that a search of the graph considers: weakly clustered vectors need more. */
  readonly expansionSearch?: number;
  /** Monotonic, for `advance`. */
  readonly nowMs?: () => number;
}

/** The parts of an index at one moment. The rows stay unchanged until `release`. */
export interface LayeredParts {
  readonly settled: FrozenRows;
  readonly fresh: FrozenRows;
  readonly graph?: UsearchGraph;
}

const monotonicMs = () => performance.now();

/** Candidates asked of the graph for a limit: its order is rough, that of the exact vectors decides. */
const candidatesFor = (limit: number) => Math.ceil(1.25 * limit) + 20;
const WIDEN_BY = 4;
/** For rows that are copied into a matrix immediately. */
const rowFloats = reusedFloats();
/** Asking the graph for a larger part of all vectors than this costs more than comparing with all. */
const GRAPH_SHARE_MAX = 1 / 64;

/**
 * The index for production. Every vector is in one of two exact layers: new ones are `fresh`; above `exactMax`,
 * `advance` moves them one by one into the `settled` layer, whose vectors are also in a graph. A search queries the
 * graph, orders its candidates by their exact vectors, and compares with all fresh vectors: it sees every change
 * immediately, whatever the progress of the graph.
 */
export class LayeredVectorIndex implements VectorIndex {
  readonly dimension: number;
  private readonly options: LayeredOptions;
  private fresh: ExactVectorIndex;
  private settled: ExactVectorIndex;
  private graph: UsearchGraph | undefined;

  constructor(
    options: LayeredOptions,
    parts: { fresh?: VectorMatrix; settled?: VectorMatrix; graph?: UsearchGraph } = {},
  ) {
    this.options = options;
    this.dimension = options.dimension;
    this.fresh = new ExactVectorIndex(options.dimension, parts.fresh);
    this.settled = new ExactVectorIndex(options.dimension, parts.settled);
    this.graph = parts.graph;
  }

  get size(): number {
    return this.fresh.size + this.settled.size;
  }

  /** Vectors that every search compares with. */
  get exactCount(): number {
    return this.fresh.size;
  }

  get bytes(): number {
    return this.fresh.matrix.bytes + this.settled.matrix.bytes + (this.graph?.bytes ?? 0);
  }

  set(key: number, vector: Float32Array): void {
    const unit = directionOf(vector, this.dimension, rowFloats);
    this.unsettle(key);
    this.fresh.matrix.put(key, unit);
  }

  has(key: number): boolean {
    return this.fresh.matrix.slotOf(key) >= 0 || this.settled.matrix.slotOf(key) >= 0;
  }

  delete(key: number): boolean {
    return this.fresh.delete(key) || this.unsettle(key);
  }

  search(query: Float32Array, limit: number, options: VectorSearchOptions = {}): Neighbor[] {
    const unit = directionOf(query, this.dimension);
    const nearest = new Nearest(limit);
    this.fresh.collect(unit, limit, options, nearest);
    if (!this.graph || options.exact || options.candidates) this.settled.collect(unit, limit, options, nearest);
    else this.collectByGraph(this.graph, unit, limit, options.admits, nearest);
    return nearest.take();
  }

  /**
   * Moves vectors into the graph for about `budgetMs`, at least one, at some 0.2 ms each. False when the graph is
   * complete.
   */
  advance(budgetMs: number): boolean {
    this.dropGraphIfUseless();
    if (!this.graph && this.size > this.options.exactMax) {
      this.graph = new UsearchGraph(this.dimension, this.options.expansionSearch);
    }
    const { graph } = this;
    if (!graph) return false;
    const { matrix } = this.fresh;
    const nowMs = this.options.nowMs ?? monotonicMs;
    const untilMs = nowMs() + budgetMs;
    while (matrix.size > 0) {
      const key = matrix.keyAt(matrix.size - 1);
      const row = matrix.rowAt(matrix.size - 1);
      graph.add(key, row);
      this.settled.matrix.put(key, row);
      matrix.remove(key);
      if (nowMs() >= untilMs) break;
    }
    return matrix.size > 0;
  }

  /**
   * The current parts. The graph continues to change: a caller that needs its present state must copy it synchronously.
   */
  freeze(): LayeredParts {
    const rows = { settled: this.settled.matrix.freeze(), fresh: this.fresh.matrix.freeze() };
    return this.graph ? { ...rows, graph: this.graph } : rows;
  }

  private collectByGraph(
    graph: UsearchGraph,
    query: Float32Array,
    limit: number,
    admits: VectorSearchOptions['admits'],
    nearest: Nearest,
  ): void {
    const share = admits ? this.settled.admittedShare(admits) : 1;
    const most = this.settled.size * GRAPH_SHARE_MAX;
    const wanted = candidatesFor(limit);
    let asked = Math.ceil(wanted / share);
    for (let isFirst = true; asked <= most || (isFirst && share === 1); isFirst = false) {
      const found = graph.nearest(query, asked);
      const admitted = admits ? found.filter(admits) : found;
      if (admitted.length >= Math.min((limit + wanted) / 2, this.settled.size)) {
        this.settled.collectKeys(query, admitted.slice(0, wanted), undefined, nearest);
        return;
      }
      asked *= WIDEN_BY;
    }
    this.settled.collect(query, limit, admits ? { admits } : {}, nearest);
  }

  private unsettle(key: number): boolean {
    if (!this.settled.delete(key)) return false;
    this.graph?.remove(key);
    return true;
  }

  /**
   * Makes all vectors fresh when more than half of the graph's slots belong to removed vectors, which slow down every
   * search, or when there are too few for a graph. `advance` then builds a new graph if there are enough vectors.
   */
  private dropGraphIfUseless(): void {
    if (!this.graph) return;
    const isWorn = this.size < this.graph.slots / 2;
    if (!isWorn && this.size >= this.options.exactMax / 2) return;
    const [few, many] = this.fresh.size < this.settled.size ? [this.fresh, this.settled] : [this.settled, this.fresh];
    for (let slot = 0; slot < few.size; slot++) many.matrix.put(few.matrix.keyAt(slot), few.matrix.rowAt(slot));
    this.fresh = many;
    this.settled = new ExactVectorIndex(this.dimension);
    this.graph = undefined;
  }
}
