import type { ChangeKind, MemoryOrder } from './enums.ts';
import type { FilterLike } from './filter.ts';
import type { Memory, MemoryChanges, MemoryView, NewMemory, Tier } from './memory.ts';
import type { CallOptions, ReadOptions, WriteOptions } from './options.ts';
import type { TimeLike } from './precise-date.ts';
import type { StoreOptions } from './stored-text.ts';

/** The properties of a written memory. */
export interface WriteReceipt {
  readonly name: string;
  readonly id: string;
  readonly version: number;
  readonly createTime: Date;
  readonly checksum: string;
  /** True when its vector is still to be computed: until then it is found by keywords and filters only. */
  readonly embeddingPending: boolean;
  /** Revision of the change log at which it was written. */
  readonly revision: number;
}

/** Which memories, by when they are valid. */
export interface ValidityQuery {
  /** False: only memories that are valid now and not superseded. Default true. Must be absent with `asOf`. */
  readonly includeInvalid?: boolean;
  /** Only memories that were valid at this instant, whether or not superseded since. */
  readonly asOf?: TimeLike;
}

export interface CountQuery extends ValidityQuery {
  /** Which memories. Default: all. */
  readonly filter?: FilterLike;
}

export interface MemoryCount {
  readonly count: number;
  readonly tiers: readonly { readonly tier: Tier; readonly count: number }[];
  readonly revision: number;
}

/** Of the new memory, and of the superseded one. */
export interface SupersedeReceipt extends WriteReceipt {
  readonly superseded: WriteReceipt;
}

export interface ListQuery extends ValidityQuery {
  /** Which memories. Default: all. */
  readonly filter?: FilterLike;
  /** Default: newest stored first. */
  readonly order?: MemoryOrder;
  /** Default `basic`: all fields except the vector. */
  readonly view?: MemoryView;
  /** Most memories per page, 1 to 1,000. */
  readonly pageSize?: number;
  /** For `list`: called with memories that cannot be read. Default: `DataLossError` after all others. */
  readonly onDamaged?: (ids: readonly string[]) => void;
}

export interface ListPage {
  readonly memories: readonly Memory[];
  /** Ids of memories of the page whose bytes are damaged. */
  readonly damagedIds: readonly string[];
  /** Empty on the last page. A page may be empty and still have a next one. */
  readonly nextPageToken: string;
  readonly revision: number;
}

export interface MemoryRevision {
  readonly memory: Memory;
  readonly change: ChangeKind;
}

export interface ForgetRequest {
  /** Which memories to erase. Either this or `all`. */
  readonly filter?: FilterLike;
  /** Erases every memory of the namespace. */
  readonly all?: boolean;
  /** Only counts. */
  readonly dryRun?: boolean;
}

export interface ForgetResult {
  readonly forgottenCount: number;
  readonly tiers: readonly { readonly tier: Tier; readonly count: number }[];
  /** Ids of the first 1,000 of them. */
  readonly ids: readonly string[];
  readonly revision: number;
}

/** MemoryService. A memory is named by its id in the client's namespace or by its full resource name. */
export interface MemoryCalls {
  /**
   * Stores one memory durably: an object, or a text with its fields among the options. `AlreadyExistsError` when it has
   * the id of another.
   */
  store(memory: string | NewMemory | Memory, options?: StoreOptions): Promise<WriteReceipt>;
  /**
   * Stores any number of texts and objects. Fields among the options are those of every memory that does not have them
   * itself. Up to 1,000 of up to 2 MB together are stored all or none; more in several writes, one after the other.
   */
  storeMany(memories: readonly (string | NewMemory | Memory)[], options?: StoreOptions): Promise<WriteReceipt[]>;
  /** Stores up to 1,000 memories: all of them or none. */
  batchStore(memories: readonly (NewMemory | Memory)[], options?: WriteOptions): Promise<WriteReceipt[]>;
  /**
   * Reads one memory. Changes nothing unless `touch` is set, which counts the read, or `focus`, which also moves the
   * memory one tier up when it qualifies.
   */
  get(
    id: string,
    options?: ReadOptions & { readonly view?: MemoryView; readonly touch?: boolean; readonly focus?: boolean },
  ): Promise<Memory>;
  /**
   * Reads up to 1,000 memories in the order of the ids; unknown ids are in `missing`, damaged memories in `damagedIds`.
   */
  batchGet(
    ids: readonly string[],
    options?: ReadOptions & { readonly view?: MemoryView },
  ): Promise<{ memories: Memory[]; missingIds: string[]; damagedIds: string[]; revision: number }>;
  /** Changes the fields that are set and keeps the former state. `AbortedError` when `ifVersion` is not its version. */
  update(
    id: string,
    changes: MemoryChanges,
    options?: WriteOptions & { readonly ifVersion?: number },
  ): Promise<WriteReceipt>;
  /**
   * Stores a memory that replaces another one, whose validity ends in the same transaction. Scope, type and source
   * default to those of the other one. `FailedPreconditionError` when it is superseded already.
   */
  supersede(
    id: string,
    memory: NewMemory,
    options?: WriteOptions & { readonly ifVersion?: number },
  ): Promise<SupersedeReceipt>;
  /** How many memories `list` would give, exactly. */
  count(query?: CountQuery, options?: ReadOptions): Promise<MemoryCount>;
  setImportance(
    id: string,
    importance: number,
    options?: WriteOptions & { readonly ifVersion?: number },
  ): Promise<WriteReceipt>;
  /** Erases one memory with its revisions. */
  delete(
    id: string,
    options?: WriteOptions & { readonly ifVersion?: number; readonly allowMissing?: boolean },
  ): Promise<{ revision: number }>;
  /** Erases every memory that the filter admits. Cut off, it has erased some of them; repeat it for the rest. */
  forget(query: ForgetRequest, options?: WriteOptions): Promise<ForgetResult>;
  /** All memories of the query, page by page as they are asked for. */
  list(query?: ListQuery, options?: ReadOptions): AsyncGenerator<Memory, void, undefined>;
  /** One page, to be followed by the one of its `nextPageToken` with the same query. */
  listPage(query?: ListQuery & { readonly pageToken?: string }, options?: ReadOptions): Promise<ListPage>;
  /** States that a memory has had, newest first. Fails with DataLossError after the others where some cannot be read. */
  listRevisions(id: string, options?: CallOptions): AsyncGenerator<MemoryRevision, void, undefined>;
}
