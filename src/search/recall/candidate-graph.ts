import type { VectorGraph } from '../vectors/vector-index.ts';
import { grown } from './grown.ts';
import {
  type BegunGraph,
  IN_GRAPH,
  type KeepableGraph,
  type KeptGraph,
  NOT_IN_GRAPH,
  WAITS_FOR_GRAPH,
} from './kept-graphs.ts';

/** Places outside of the graph, from which on a comparison with all is cheaper than one with these. */
const WAITING_MAX = 5000;
const PLACES_AT_FIRST = 1024;

/** The vector of a place, of length 1; `undefined` where it has none. */
export type VectorOf = (place: number) => Float32Array | undefined;

/**
 * A graph over vectors that its owner keeps, by place. It grows in slices and follows changes; places that it does not
 * have yet are candidates of every search, so that no change is missed.
 */
export class CandidateGraph implements KeepableGraph {
  private readonly graph: VectorGraph;
  private readonly vectorOf: VectorOf;
  private inGraph = new Uint8Array(PLACES_AT_FIRST);
  /** Places that changed since they were put in. */
  private readonly waiting = new Set<number>();
  /** Places from here on were not put in yet. */
  private next = 1;
  unsavedChanges = 0;

  constructor({ graph, kept, changed = [] }: BegunGraph, vectorOf: VectorOf) {
    this.graph = graph;
    this.vectorOf = vectorOf;
    if (kept) this.resume(kept);
    for (const place of changed) this.change(place);
  }

  /** To be called when the vector of a place has changed or is gone. */
  change(place: number): void {
    if (place >= this.next) return;
    if (this.inGraph[place] === IN_GRAPH) this.graph.remove(place);
    if (place < this.inGraph.length) this.inGraph[place] = NOT_IN_GRAPH;
    this.waiting.add(place);
    this.unsavedChanges++;
  }

  /** Puts vectors in for about `budgetMs`, at least one; false when all places below `end` are in. */
  advance(end: number, budgetMs: number): boolean {
    const untilMs = performance.now() + budgetMs;
    while (this.next < end || this.waiting.size > 0) {
      if (this.next < end) this.put(this.next++);
      else this.putWaiting();
      if (performance.now() >= untilMs) break;
    }
    return this.next < end || this.waiting.size > 0;
  }

  /**
   * About the `count` nearest that are in the graph, and all that wait to be; `undefined` while too many wait. Places are
   * below `end`.
   */
  nearest(unit: Float32Array, count: number, end: number): Nearby | undefined {
    if (end - this.next + this.waiting.size > WAITING_MAX) return undefined;
    const waiting = [...this.waiting];
    for (let place = this.next; place < end; place++) waiting.push(place);
    return { found: this.graph.nearest(unit, count), waiting };
  }

  get bytes(): number {
    return this.graph.bytes + this.inGraph.byteLength;
  }

  get size(): number {
    return this.graph.size;
  }

  toKeep(): KeptGraph {
    const places = grown(this.inGraph.subarray(0, this.next), new Uint8Array(this.next));
    for (const place of this.waiting) places[place] = WAITS_FOR_GRAPH;
    return { graph: this.graph, places };
  }

  private resume({ places }: KeptGraph): void {
    this.next = Math.max(1, places.length);
    this.inGraph = places;
    for (let place = 1; place < places.length; place++) {
      if (places[place] !== WAITS_FOR_GRAPH) continue;
      this.inGraph[place] = NOT_IN_GRAPH;
      this.waiting.add(place);
    }
  }

  private putWaiting(): void {
    const [place] = this.waiting;
    if (place === undefined) return;
    this.waiting.delete(place);
    this.put(place);
  }

  private put(place: number): void {
    const vector = this.vectorOf(place);
    if (!vector) return;
    if (place >= this.inGraph.length) {
      this.inGraph = grown(this.inGraph, new Uint8Array(Math.ceil((place + 1) * 1.5)));
    }
    this.graph.add([place], vector);
    this.inGraph[place] = IN_GRAPH;
    this.unsavedChanges++;
  }
}

export interface Nearby {
  /** By the graph, roughly nearest first. */
  readonly found: readonly number[];
  readonly waiting: readonly number[];
}
