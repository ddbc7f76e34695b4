import type { Idempotency } from '../memory/call.ts';
import type { Filter } from '../memory/filter.ts';
import type { Embedding, Memory, MemoryFields, MemoryView, Micros, Scope, Tier } from '../memory/memory.ts';
import type { CompactionRecord } from '../memory/resolution/resolution.ts';
import type { SettingChange } from '../memory/tier-settings.ts';
import type { Detour } from './tier-store.ts';

/**
 * Where memories are kept. Every backend passes `test/conformance/memory-store.suite.ts`.
 *
 * Writes resolve when they are durable and are then seen by every later read. Each takes effect as a whole or not at
 * all, appends to the change log in the same transaction, and returns the revision of its last entry. A write with
 * `idempotency` that was done before returns the first outcome; with another fingerprint it is refused
 * (REQUEST_ID_REUSED). Reads and writes of a namespace that does not exist fail with NAMESPACE_NOT_FOUND unless said
 * otherwise. Expired memories (`expiresAtUs <= nowUs`) are not there for reads by `get`, `list` and `count`.
 * When the queue of writes is full they fail with QUEUE_FULL, when the disk is full with STORAGE_FULL.
 */
export interface MemoryStore extends RecordStore, MemoryProjection {
  /** Puts memories back at the end of the embedding queue, not to be tried before `notBeforeUs`. */
  postponeEmbedding(write: { items: readonly PendingEmbedding[]; notBeforeUs: Micros }): Promise<void>;

  createNamespace(write: NamespaceWrite): Promise<NamespaceOutcome>;
  updateNamespace(write: NamespaceUpdate): Promise<NamespaceOutcome>;
  /** Fails with NAMESPACE_NOT_EMPTY unless `force`. */
  deleteNamespace(write: {
    name: string;
    force: boolean;
    atUs: Micros;
    idempotency?: Idempotency;
  }): Promise<DeleteOutcome>;
  getNamespace(name: string): Promise<Namespace>;
  /** Namespaces by name, at most `limit`, after `afterName` when given. */
  listNamespaces(read: { limit: number; afterName?: string }): Promise<Namespace[]>;

  /** The memories found, in the order of `ids`, with `undefined` for those not there. Fails with CHECKSUM_MISMATCH. */
  get(read: {
    namespace: string;
    ids: readonly string[];
    view: MemoryView;
    nowUs: Micros;
  }): Promise<(Memory | undefined)[]>;
  /** States of a memory, newest first, at most `limit`, older than `beforeRevision` when given. */
  revisions(read: {
    namespace: string;
    id: string;
    limit: number;
    beforeRevision?: number;
    nowUs: Micros;
  }): Promise<PastState[]>;

  /** Memories whose vectors are to be computed, oldest first, at most `limit`, due at `nowUs`. */
  pendingEmbeddings(read: { limit: number; nowUs: Micros }): Promise<PendingEmbedding[]>;
  /** Ids of memories that have expired at `nowUs`, of any namespace, at most `limit`. */
  expired(read: { limit: number; nowUs: Micros }): Promise<{ namespace: string; ids: string[] }[]>;
}

/** Changes of memories by the store that owns them, and what was answered to them. */
export interface RecordStore {
  /** Other servers write to it too: every read sees what any of them had acknowledged before, whatever its revision. */
  readonly isShared: boolean;
  /** Newest durable revision; 0 in an empty store. */
  readonly revision: number;

  /**
   * Stores all of the memories or none. Fails with MEMORY_EXISTS, VERSION_MISMATCH, DIMENSION_MISMATCH, MODEL_MISMATCH,
   * NAMESPACE_FULL.
   */
  store(write: StoreWrite): Promise<WriteOutcome>;
  /**
   * Fails with MEMORY_NOT_FOUND, VERSION_MISMATCH, DIMENSION_MISMATCH, MODEL_MISMATCH; with a successor also as `store` does,
   * whose receipt then comes first.
   */
  update(write: UpdateWrite): Promise<WriteOutcome>;
  /** Erases memories with their revisions; ids that lead to none are passed over unless `mustExist`. */
  delete(write: DeleteWrite): Promise<DeleteOutcome>;
  /** Adds one retrieval at `atUs` to each memory that is there. Leaves `revision` of the memories as it is. */
  touch(write: { namespace: string; ids: readonly string[]; atUs: Micros }): Promise<{ revision: number }>;
  /** Adds vectors computed later and takes the memories off the embedding queue; one of another text by now is dropped. */
  setEmbeddings(write: { namespace: string; vectors: readonly LateVector[] }): Promise<{ revision: number }>;
  /** Outcome kept for a request id, or `undefined`; fails with REQUEST_ID_REUSED as writes do. */
  outcomeOf(namespace: string, idempotency: Idempotency): Promise<unknown>;

  /** Which technology, what a write survives: for people. */
  describe(): { role: string; technology: string; durability: string }[];
  /** Lets writes in hand finish, refuses new ones with DRAINING, releases files. Safe to call twice. */
  close(): Promise<void>;
}

/** What is listed, counted and summed over many memories: always local, whichever store owns them. */
export interface MemoryProjection {
  /** One page in a stable order; a memory that is there throughout is in exactly one page. */
  list(read: ListRead): Promise<ListPage>;
  /** Number of memories that the filter admits, by tier. */
  count(read: CountRead): Promise<ReadonlyMap<Tier, number>>;
  /** Scopes that memories have, in order of their parts, at most `limit`, after `after` when given. */
  listScopes(read: { namespace: string; limit: number; after?: Scope }): Promise<{ scope: Scope; count: number }[]>;
  /** Of one namespace, or of all of them. */
  statistics(namespace?: string): Promise<StoreStatistics>;
}

/** A memory to be stored: what the caller said, and what import keeps. */
export interface NewMemory extends MemoryFields {
  readonly id: string;
  readonly createdAtUs: Micros;
  readonly updatedAtUs: Micros;
  readonly lastAccessedAtUs?: Micros;
  readonly retrievalCount: number;
  readonly tier: Tier;
  readonly checksum: string;
  /** What it has lost for good. One that replaces equal bytes without it keeps the record that is there. */
  readonly compaction?: CompactionRecord;
  readonly embedding?: Embedding;
  /** True when a vector is to be computed later. */
  readonly embeddingPending: boolean;
}

export interface StoreWrite {
  readonly namespace: string;
  readonly memories: readonly NewMemory[];
  /** Makes the namespace when it does not exist. */
  readonly createNamespace: boolean;
  /**
   * What to do with a memory whose id is taken: fail with MEMORY_EXISTS, keep the old one, or replace it (the former
   * state becomes a revision; one of equal fields is kept as it is).
   */
  readonly onConflict: 'fail' | 'keep' | 'replace';
  /**
   * Revisions that memories of the write must have, by id; 0: the id must be free. Otherwise the write fails as a whole
   * with VERSION_MISMATCH. Ids of other memories are not looked at.
   */
  readonly expectedRevisions?: Readonly<Record<string, number>>;
  readonly atUs: Micros;
  readonly idempotency?: Idempotency;
  /** Why it is not where it would belong; comes back with the outcome, and is kept with it. */
  readonly detour?: Detour;
  /** Revision that those given here are to be above. */
  readonly revisionFloor?: number;
}

export interface UpdateWrite {
  readonly namespace: string;
  readonly id: string;
  /** When given, must be the memory's revision. */
  readonly expectedRevision?: number;
  /** Values to set; `undefined` clears. Defaults and derived text are the caller's business. */
  readonly changes: MemoryChanges;
  /** Does not keep the state that the memory had. Default false. */
  readonly dropsFormer?: boolean;
  /** A memory that is stored in the same transaction: what takes the place of the one that is changed. Its id must be free. */
  readonly successor?: NewMemory;
  readonly atUs: Micros;
  readonly idempotency?: Idempotency;
}

export type MemoryChanges = {
  readonly [K in keyof MemoryFields]?: MemoryFields[K] | undefined;
} & {
  readonly checksum?: string;
  /** What the new content has lost for good. A change of text or content without it ends an earlier record. */
  readonly compaction?: CompactionRecord;
  /** `null` removes the vector. */
  readonly embedding?: Embedding | null;
  readonly embeddingPending?: boolean;
};

export interface DeleteWrite {
  readonly namespace: string;
  readonly ids: readonly string[];
  readonly cause: 'deleted' | 'expired';
  /** Fails with MEMORY_NOT_FOUND when an id leads to no memory. */
  readonly mustExist: boolean;
  readonly expectedRevision?: number;
  /** Passes over those that are not in this tier by now. */
  readonly onlyIn?: Tier;
  readonly atUs: Micros;
  readonly idempotency?: Idempotency;
  /** Outcome to keep for the request id in place of this write's own, when it is the last of several. */
  readonly outcomeToKeep?: unknown;
}

export interface WriteOutcome {
  readonly revision: number;
  /** In the order of the request. */
  readonly memories: readonly Receipt[];
  /** Absent: everything is where it belongs. */
  readonly detour?: Detour;
}

export interface Receipt {
  readonly id: string;
  readonly revision: number;
  readonly createdAtUs: Micros;
  readonly checksum: string;
  readonly embeddingPending: boolean;
  /** False when an older memory of the same id was kept. */
  readonly written: boolean;
}

export interface DeleteOutcome {
  readonly revision: number;
  readonly deletedIds: readonly string[];
  /** Number deleted by tier. */
  readonly tiers: readonly (readonly [Tier, number])[];
}

export interface LateVector {
  readonly id: string;
  readonly checksum: string;
  /** Absent when the text has no vector, or none that the namespace can take: the memory only leaves the queue. */
  readonly embedding?: Embedding;
}

export interface PendingEmbedding {
  readonly namespace: string;
  readonly id: string;
  readonly checksum: string;
  readonly text: string;
  readonly attempts: number;
}

export type ListOrder =
  | 'create_time_desc'
  | 'create_time_asc'
  | 'event_time_desc'
  | 'event_time_asc'
  | 'importance_desc'
  | 'step_asc'
  | 'step_desc';

export interface CountRead {
  readonly namespace: string;
  readonly filter?: Filter;
  readonly nowUs: Micros;
  /** Wall-clock instant after which it may be given up with DEADLINE_EXCEEDED. */
  readonly deadlineAtMs?: number;
}

export interface ListRead {
  readonly namespace: string;
  readonly filter?: Filter;
  readonly order: ListOrder;
  readonly limit: number;
  /** A page ends before its texts and contents pass this size, but holds at least one memory. */
  readonly bytesMax: number;
  readonly after?: ListPosition;
  readonly view: MemoryView;
  readonly nowUs: Micros;
}

/** Place of a memory in an order: its sort value (`null` where it has none) and its place among equals. */
export interface ListPosition {
  readonly value: number | null;
  readonly tie: number;
}

export interface ListPage {
  readonly memories: readonly Memory[];
  /** Those of the page that cannot be read, whether or not the filter would admit them. Absent: none. */
  readonly damagedIds?: readonly string[];
  /** Absent on the last page. */
  readonly next?: ListPosition;
}

/** A state that a memory had, and what brought it there. Vectors are not kept. */
export interface PastState {
  readonly memory: Memory;
  readonly change: 'stored' | 'updated';
  /** Its bytes are damaged: `memory` is what is there now, at about the revision of the state, without text and content. */
  readonly isDamaged?: boolean;
}

export interface Namespace {
  readonly name: string;
  readonly description: string;
  readonly createdAtUs: Micros;
  readonly updatedAtUs: Micros;
  /** Empty, with dimension 0, until the first vector fixes them. */
  readonly embeddingModel: string;
  readonly embeddingDimension: number;
  /** 0: none. */
  readonly memoryLimit: number;
  /** How its tiers are kept, by dotted key: what was set for it; see `memory/tier-settings.ts`. */
  readonly settings: Readonly<Record<string, string>>;
  readonly revision: number;
}

export interface NamespaceWrite {
  readonly name: string;
  readonly description: string;
  readonly memoryLimit: number;
  readonly settings?: readonly SettingChange[];
  readonly atUs: Micros;
  readonly idempotency?: Idempotency;
}

export interface NamespaceUpdate {
  readonly name: string;
  readonly expectedRevision?: number;
  readonly description?: string;
  readonly memoryLimit?: number;
  /** Those that are not named stay as they are. */
  readonly settings?: readonly SettingChange[];
  readonly atUs: Micros;
  readonly idempotency?: Idempotency;
}

export interface NamespaceOutcome {
  readonly revision: number;
  readonly namespace: Namespace;
}

export interface MemoryAccess {
  readonly namespace: string;
  readonly id: string;
  readonly retrievalCount: number;
  readonly lastAccessedAtUs?: Micros;
}

export interface StoreStatistics {
  readonly namespaceCount: number;
  readonly memoryCount: number;
  readonly contentBytes: number;
  readonly embeddedCount: number;
  readonly embeddingPendingCount: number;
  readonly importanceMean: number;
  readonly retrievalCount: number;
  /** Most first, at most 100. */
  readonly types: readonly { type: string; count: number }[];
  readonly tiers: readonly {
    readonly tier: Tier;
    readonly count: number;
    readonly contentBytes: number;
    /** As the tier keeps them; absent where the store does not count them. */
    readonly storedBytes?: number;
    readonly importanceMean?: number;
  }[];
  /** At most 5 each, the most first and the least first; absent where the store does not look for them. */
  readonly mostAccessed?: readonly MemoryAccess[];
  readonly leastAccessed?: readonly MemoryAccess[];
  readonly diskBytes: number;
  /** Why what is counted is not all there is; absent where it is. */
  readonly degraded?: string;
}
