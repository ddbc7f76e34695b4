import type { Memory } from '../memory/memory.ts';

/** Text and content of a memory. */
export type Body = Pick<Memory, 'text' | 'content'>;

export interface StoredBody {
  readonly key: string;
  readonly body: Body;
}

/**
 * Bodies of memories in another store than their rows, which have the keys. A key is used once: the body under it never
 * changes.
 */
export interface BodyStore {
  /** Resolves when all are there. Where it fails, some may be. */
  put(bodies: readonly StoredBody[]): Promise<void>;
  /** In the order of the keys; `undefined` where there is no body, or one that cannot be read. */
  get(keys: readonly string[]): Promise<(Body | undefined)[]>;
  /** The keys without a body. */
  missing(keys: readonly string[]): Promise<string[]>;
  /** A key without a body is no failure. */
  erase(keys: readonly string[]): Promise<void>;
  /** Keys of all bodies, in pages; a key may come twice, and one that is put or erased meanwhile may be missing. */
  keys(): AsyncIterable<readonly string[]>;
  /** For people. */
  describe(): { readonly technology: string; readonly durability: string };
}

/** The memory of a body: its namespace by the epoch of its log, its place in the order of storing, and its checksum. */
export interface BodyOwner {
  readonly namespace_key: number;
  readonly sequence: number;
  readonly checksum: string;
}

/** Bodies in copies of their memories, which a view has. */
export interface BodyCopies {
  /** In the order of the memories; `undefined` where no sound copy has the checksum. */
  bodies(owners: readonly BodyOwner[]): Promise<(Body | undefined)[]>;
  /** The memories that were copied without their bodies. */
  withoutBody<O extends BodyOwner>(owners: readonly O[]): Promise<O[]>;
  /** Copies the memories anew, as far as they have not changed since they were copied. */
  renew(namespace: string, epoch: string, ids: readonly string[]): Promise<void>;
}
