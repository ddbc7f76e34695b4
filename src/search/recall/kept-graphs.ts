import type { IndexOwner, StoreState, VectorGraph } from '../vectors/vector-index.ts';

/** Graphs of a namespace over vectors that recall computes and never stores. */
export type GraphKind = 'texts' | 'states';

/** Numbers of the fields of states, by name: median and spread, which the vectors of a graph were made with. */
export type KeptScales = Readonly<Record<string, readonly [center: number, spread: number]>>;

/** How a place stands to a graph. */
export const NOT_IN_GRAPH = 0;
export const IN_GRAPH = 1;
export const WAITS_FOR_GRAPH = 2;

/** A graph with the places that it has. */
export interface KeptGraph {
  readonly graph: VectorGraph;
  /** By place, up to the first that was never put in. */
  readonly places: Uint8Array<ArrayBuffer>;
  /** Of a graph of states. */
  readonly scales?: KeptScales;
}

/** A graph to begin with: a new one, or one of an earlier run. */
export interface BegunGraph {
  readonly graph: VectorGraph;
  readonly kept?: KeptGraph;
  /** Places whose vectors have changed since it was kept. */
  readonly changed?: Iterable<number>;
}

/** A graph that can be persisted. */
export interface KeepableGraph {
  /** Vectors put in or taken out since it was last kept. */
  unsavedChanges: number;
  /** Number of vectors. */
  readonly size: number;
  /** To be persisted at once: the graph goes on changing. */
  toKeep(): KeptGraph;
}

/** Persists graphs between runs. Files are verified on load; damaged files are not loaded. */
export interface GraphFiles {
  load(owner: IndexOwner, kind: GraphKind, dimension: number): (KeptGraph & StoreState) | undefined;
  /** Keeps the graph as it is at the moment of the call; it may go on changing meanwhile. One call at a time. */
  save(owner: IndexOwner, kind: GraphKind, kept: KeptGraph, state: StoreState): Promise<void>;
  forget(ownerKey: number): void;
}
