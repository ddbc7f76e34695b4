import type { IndexOwner, StoreState } from '../vectors/vector-index.ts';

/**
 * The columns of a namespace, by sequence where nothing else is said: loading them costs a thirtieth of reading them from
 * the store's rows.
 */
export interface KeptColumns {
  /** 1 where there is a memory. */
  readonly alive: Uint8Array<ArrayBuffer>;
  readonly superseded: Uint8Array<ArrayBuffer>;
  readonly eventTimes: Float64Array<ArrayBuffer>;
  readonly expiryTimes: Float64Array<ArrayBuffer>;
  readonly importances: Float32Array<ArrayBuffer>;
  readonly speakers: Int32Array<ArrayBuffer>;
  readonly sessions: Int32Array<ArrayBuffer>;
  readonly previous: Int32Array<ArrayBuffer>;
  readonly following: Int32Array<ArrayBuffer>;
  /** By session. */
  readonly tails: Int32Array<ArrayBuffer>;
  /** Sequences. */
  readonly summaries: Float64Array<ArrayBuffer>;
  /** Four numbers a memory that has a validity: its sequence and the three instants. */
  readonly validities: Float64Array<ArrayBuffer>;
  /** The columns of places one after the other, and their lengths. */
  readonly placeLengths: Uint32Array<ArrayBuffer>;
  readonly places: Float64Array<ArrayBuffer>;
  /** Names of speakers, sessions and places in the order of their numbers: JSON. */
  readonly names: Uint8Array<ArrayBuffer>;
}

/** Persists columns between runs. Files are verified on load; damaged files are not loaded. */
export interface ColumnFiles {
  load(owner: IndexOwner): ({ readonly columns: KeptColumns } & StoreState) | undefined;
  /** One call at a time. */
  save(owner: IndexOwner, columns: KeptColumns, state: StoreState): Promise<void>;
  forget(ownerKey: number): void;
}
