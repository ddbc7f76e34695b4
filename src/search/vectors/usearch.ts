import { Index, MetricKind, ScalarKind } from 'usearch';

/**
 * Version of the library that writes graph files; a file of another version is rebuilt. A test compares it with the
 * installed version.
 */
export const USEARCH_VERSION = '2.26.2';
export const GRAPH_METRIC = MetricKind.IP;
/** A quarter of the memory of f32 and the fastest; the exact vectors decide the final order. */
export const GRAPH_QUANTIZATION = ScalarKind.I8;
const CONNECTIVITY = 16;
const EXPANSION_ADD = 128;
const EXPANSION_SEARCH = 128;
/** Bytes of a slot without its vector, measured. */
const SLOT_BYTES = 340;

/**
 * Approximate nearest neighbors of vectors of length 1, by USearch. The owner validates every vector (`directionOf`)
 * and tracks the keys: the native side accepts invalid input silently. All work runs on the calling thread.
 */
export class UsearchGraph {
  readonly dimension: number;
  private readonly index: Index;
  private slotCount = 0;

  /** `expansionSearch` is the number of nodes that a search considers: more finds more and takes longer. */
  constructor(dimension: number, expansionSearch = EXPANSION_SEARCH) {
    this.dimension = dimension;
    this.index = new Index({
      dimensions: dimension,
      metric: GRAPH_METRIC,
      quantization: GRAPH_QUANTIZATION,
      connectivity: CONNECTIVITY,
      expansion_add: EXPANSION_ADD,
      expansion_search: expansionSearch,
      multi: false,
    });
  }

  /** Reads a file that has been verified: a damaged one can kill the process. Throws when it is not as described. */
  static load(
    path: string,
    { dimension, count, slots }: { dimension: number; count: number; slots: number },
    expansionSearch?: number,
  ): UsearchGraph {
    const graph = new UsearchGraph(dimension, expansionSearch);
    graph.index.load(path);
    const found = `${graph.index.size()} vectors of dimension ${graph.index.dimensions()}`;
    if (found !== `${count} vectors of dimension ${dimension}`) throw new Error(`the graph file has ${found}`);
    graph.slotCount = slots;
    return graph;
  }

  get size(): number {
    return this.index.size();
  }

  /** Slots ever in use at the same time: a removed vector leaves its slot behind for the next one. */
  get slots(): number {
    return this.slotCount;
  }

  get bytes(): number {
    return this.slotCount * (this.dimension + SLOT_BYTES);
  }

  /**
   * Adds vectors under keys that are not in it. On one thread: two take half as much processor time again for the same
   * vectors, and other threads of the server wait for them.
   */
  add(keys: readonly number[], units: Float32Array): void {
    const numbers = new BigUint64Array(keys.length);
    const halves = new Uint32Array(numbers.buffer);
    for (const [at, key] of keys.entries()) {
      halves[2 * at] = key;
      halves[2 * at + 1] = Math.floor(key / 2 ** 32);
    }
    this.index.add(numbers, units, 1);
    this.slotCount = Math.max(this.slotCount, this.size);
  }

  remove(key: number): void {
    this.index.remove(BigInt(key));
  }

  /** Keys of about the `count` nearest, roughly nearest first. */
  nearest(unit: Float32Array, count: number): number[] {
    if (this.size === 0) return [];
    return wholeNumbers(this.index.search(unit, count, 1).keys);
  }

  /** Neither atomic nor durable, and a full disk may cut the file short without an error. */
  save(path: string): void {
    this.index.save(path);
  }
}

/** The same numbers, all below 2^53: a value of each as a big integer would be allocated. */
export function wholeNumbers(numbers: BigUint64Array): number[] {
  const halves = new Uint32Array(numbers.buffer, numbers.byteOffset, 2 * numbers.length);
  const whole = new Array<number>(numbers.length);
  for (let i = 0; i < whole.length; i++) whole[i] = (halves[2 * i] as number) + (halves[2 * i + 1] as number) * 2 ** 32;
  return whole;
}
