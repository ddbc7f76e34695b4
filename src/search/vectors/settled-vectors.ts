import type { CodedRows } from './coded-rows.ts';
import { dotProduct, type Nearest } from './nearest.ts';
import { RoughNearest } from './rough-nearest.ts';
import type { ExactRows } from './row-file.ts';
import type { UsearchGraph } from './usearch.ts';
import type { VectorSearchOptions } from './vector-index.ts';

/** Candidates asked of the graph for a limit: its order is rough, that of the exact vectors decides. */
const candidatesFor = (limit: number) => Math.ceil(1.25 * limit) + 20;
const WIDEN_BY = 4;
/** Asking the graph for a larger part of all vectors than this costs more than comparing with all. */
const GRAPH_SHARE_MAX = 1 / 64;
/** The same, as a part of the admitted vectors, where their number is known. */
const GRAPH_ADMITTED_MAX = 1 / 4;
const SAMPLES = 64;
/**
 * Standard deviations of a rounding error that are allowed for where the graph gives the candidates, which are not
 * certain anyway: errors of the values of a vector add up at random.
 */
const DEVIATIONS = 8;
const IN_GRAPH = -1;
/** Vectors that come into the graph between two looks at the clock, at 0.1 to 0.2 ms each: one at a time takes a fifth longer. */
const GROWN_AT_ONCE = 6;

export interface SettledParts {
  readonly codes: CodedRows;
  readonly rows: ExactRows;
  readonly graph: UsearchGraph;
  /** Slots that are not in the graph. */
  readonly waiting: readonly number[];
}

/**
 * Vectors of which a byte of each value is in memory, and the exact ones on disk: bytes find the few vectors that may be among
 * the nearest, and exact vectors decide. They come into a graph one after the other; a search compares with all that wait
 * for it.
 */
export class SettledVectors {
  readonly codes: CodedRows;
  readonly graph: UsearchGraph;
  readonly rows: ExactRows;
  private readonly waiting: number[] = [];
  /** Place of each slot in `waiting`. */
  private readonly places: number[] = [];
  private readonly decoded: Float32Array;
  /** Vectors on the way into the graph. */
  private readonly growing: Float32Array;
  private readonly damaged = new Set<number>();

  constructor({ codes, rows, graph, waiting }: SettledParts) {
    this.codes = codes;
    this.rows = rows;
    this.graph = graph;
    this.decoded = new Float32Array(codes.dimension);
    this.growing = new Float32Array(GROWN_AT_ONCE * codes.dimension);
    for (let slot = 0; slot < codes.end; slot++) this.places.push(IN_GRAPH);
    for (const slot of waiting) this.await(slot);
  }

  get size(): number {
    return this.codes.size;
  }

  /** Slots that are not in the graph, in no order. */
  get waitingSlots(): readonly number[] {
    return this.waiting;
  }

  get bytes(): number {
    return this.codes.bytes + this.graph.bytes + 8 * (this.places.length + this.waiting.length);
  }

  /** Keys whose exact vectors could not be read: their owner is to set them again. */
  takeDamaged(): number[] {
    const keys = [...this.damaged];
    this.damaged.clear();
    return keys;
  }

  has(key: number): boolean {
    return this.codes.slotOf(key) >= 0;
  }

  /** Adds a vector of length 1 under a new key. Throws when the disk is full, and is then unchanged. */
  add(key: number, unit: Float32Array): void {
    const slot = this.codes.nextSlot;
    this.rows.write(slot, key, unit);
    this.codes.add(key, unit);
    this.await(slot);
  }

  remove(key: number): boolean {
    const slot = this.codes.remove(key);
    if (slot < 0) return false;
    const place = this.places[slot] as number;
    if (place === IN_GRAPH) this.graph.remove(slot);
    else this.leave(place);
    this.damaged.delete(key);
    return true;
  }

  /** Adds some waiting vectors to the graph; false when none waits. */
  grow(): boolean {
    const slots = this.waiting.slice(-GROWN_AT_ONCE);
    if (slots.length === 0) return false;
    const { dimension } = this.codes;
    for (const [at, slot] of slots.entries()) {
      this.codes.decode(slot, this.growing.subarray(at * dimension, (at + 1) * dimension));
    }
    this.graph.add(slots, this.growing.subarray(0, slots.length * dimension));
    for (let left = slots.length; left > 0; left--) this.leave(this.waiting.length - 1);
    return true;
  }

  /** All keys with their exact vectors; of a damaged one what is known of it. A vector is good until the next one. */
  *vectors(): Generator<readonly [key: number, unit: Float32Array]> {
    for (let slot = 0; slot < this.codes.end; slot++) {
      const key = this.codes.keyAt(slot);
      if (key > 0) yield [key, this.exactAt(slot)];
    }
  }

  /**
   * Offers the nearest to a query of length 1, where `nearest` has all that was found elsewhere. Returns how many vectors were
   * compared: `limit` of them, unless there are fewer.
   */
  collect(query: Float32Array, limit: number, options: VectorSearchOptions, nearest: Nearest): number {
    if (this.size === 0 || limit < 1) return 0;
    const rough = new RoughNearest(nearest.most, nearest.floor);
    const asked = this.codes.ask(query);
    let compared = 0;
    const offer = (slots: ArrayLike<number>, slackShare: number): void => {
      compared += slots.length;
      this.codes.compare(asked, slots, slots.length, slackShare, rough);
    };
    const { admits, candidates, exact } = options;
    const found = candidates || exact ? undefined : this.byGraph(query, limit, options);
    if (candidates) {
      offer(this.slotsOf(candidates, admits), 1);
    } else if (found) {
      const slackShare = Math.min(1, DEVIATIONS / Math.sqrt(this.codes.dimension));
      offer(found, slackShare);
      offer(admits ? this.waiting.filter((slot) => admits(this.codes.keyAt(slot))) : this.waiting, slackShare);
    } else {
      offer(this.allSlots(admits), 1);
    }
    const similarityAt = (slot: number) => Math.max(-1, Math.min(1, dotProduct(this.exactAt(slot), query)));
    rough.settle({ similarityAt, keyAt: (slot) => this.codes.keyAt(slot) }, nearest);
    return compared;
  }

  /** The same vectors, all of which wait for another graph; this one is not used again. */
  regrown(graph: UsearchGraph): SettledVectors {
    return new SettledVectors({
      codes: this.codes,
      rows: this.rows,
      graph,
      waiting: this.allSlots(undefined),
    });
  }

  close(): void {
    this.rows.close();
    this.codes.close();
  }

  /** Slots that the graph finds; `undefined` when it would have to look at too many. */
  private byGraph(query: Float32Array, limit: number, options: VectorSearchOptions): number[] | undefined {
    const { admits, admittedCount } = options;
    const { size } = this.graph;
    const share = admits ? this.admittedShare(admits, admittedCount) : 1;
    const most = admittedCount === undefined ? size * GRAPH_SHARE_MAX : admittedCount * GRAPH_ADMITTED_MAX;
    const wanted = candidatesFor(limit);
    let asked = Math.ceil(wanted / share);
    for (let isFirst = true; asked <= most || (isFirst && share === 1); isFirst = false) {
      const found = this.graph.nearest(query, asked);
      const admitted = admits ? found.filter((slot) => admits(this.codes.keyAt(slot))) : found;
      if (admitted.length >= Math.min((limit + wanted) / 2, size)) return admitted.slice(0, wanted);
      asked *= WIDEN_BY;
    }
    return undefined;
  }

  /** Estimate, from keys spread over all slots where the number is not known. */
  private admittedShare(admits: (key: number) => boolean, count: number | undefined): number {
    if (count !== undefined) return Math.min(1, count / this.size);
    const { end } = this.codes;
    let [sampled, admitted] = [0, 0];
    for (let i = 0; i < Math.min(SAMPLES, end); i++) {
      const key = this.codes.keyAt(Math.floor((i * end) / Math.min(SAMPLES, end)));
      if (key === 0) continue;
      sampled++;
      if (admits(key)) admitted++;
    }
    return sampled === 0 ? 0 : admitted / sampled;
  }

  private slotsOf(keys: ArrayLike<number>, admits: VectorSearchOptions['admits']): Uint32Array {
    const slots = this.codes.slotsOf(keys);
    return admits ? slots.filter((slot) => admits(this.codes.keyAt(slot))) : slots;
  }

  private allSlots(admits: VectorSearchOptions['admits']): number[] {
    const slots: number[] = [];
    for (let slot = 0; slot < this.codes.end; slot++) {
      const key = this.codes.keyAt(slot);
      if (key > 0 && (!admits || admits(key))) slots.push(slot);
    }
    return slots;
  }

  private exactAt(slot: number): Float32Array {
    const key = this.codes.keyAt(slot);
    const row = this.rows.read(slot, key);
    if (row) return row;
    this.damaged.add(key);
    this.codes.decode(slot, this.decoded);
    return this.decoded;
  }

  private await(slot: number): void {
    this.places[slot] = this.waiting.push(slot) - 1;
  }

  /** The last one takes its place. */
  private leave(place: number): void {
    const slot = this.waiting[place] as number;
    const last = this.waiting.pop() as number;
    if (last !== slot) {
      this.waiting[place] = last;
      this.places[last] = place;
    }
    this.places[slot] = IN_GRAPH;
  }
}
