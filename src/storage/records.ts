import type { Asker, Idempotency } from '../memory/call.ts';
import type { Filter } from '../memory/filter.ts';
import type { Embedding, Memory, MemoryFields, MemoryView, Micros, Tier } from '../memory/memory.ts';
import type { CompactionRecord } from '../memory/resolution/resolution.ts';
import type { SettingChange } from '../memory/tier-settings.ts';
import type { MoveOutcome, MoveWrite } from './tiers.ts';

/**
 * The owner of memories, namespaces and their settings. Every backend passes `test/storage/conformance/memory-store.suite.ts`.
 *
 * Reads of a missing namespace fail with NAMESPACE_NOT_FOUND unless stated otherwise. `get` does not see expired memories
 * (`expiresAtUs <= nowUs`). Lists, counts and sums are reads of a `View`.
 */
export interface Records {
  /**
   * Other servers write to it too: every read sees the writes that any server has acknowledged before, whatever its
   * revision.
   */
  readonly isShared: boolean;
  /** Newest durable revision; 0 in an empty store. */
  readonly revision: number;

  /**
   * The only way to change anything. Resolves when the change is durable, and every later read sees it. A change is
   * atomic, appends to the change log in the same transaction, and returns the revision of its last entry. Repeating a
   * change with `idempotency` returns the first outcome; with another fingerprint it fails with REQUEST_ID_REUSED. Fails
   * with NAMESPACE_NOT_FOUND unless stated otherwise, with QUEUE_FULL when the queue of changes is full, and with
   * STORAGE_FULL when the disk is full.
   */
  write<K extends ChangeKind>(change: ChangeOf<K>): Promise<Outcome<K>>;
  /** Stored outcome of a request id, or `undefined`; fails with REQUEST_ID_REUSED as changes do. */
  outcomeOf(namespace: string, idempotency: Idempotency): Promise<unknown>;

  /** The memories in the order of `ids`, `undefined` for missing ones. Fails with CHECKSUM_MISMATCH. */
  get(read: {
    namespace: string;
    ids: readonly string[];
    view: MemoryView;
    nowUs: Micros;
  }): Promise<(Memory | undefined)[]>;
  /** States of a memory, newest first, at most `limit`, older than `beforeRevision` if present. */
  revisions(read: {
    namespace: string;
    id: string;
    limit: number;
    beforeRevision?: number;
    nowUs: Micros;
  }): Promise<PastState[]>;

  getNamespace(name: string): Promise<Namespace>;
  /** Namespaces by name, at most `limit`, after `afterName` if present. */
  listNamespaces(read: { limit: number; afterName?: string }): Promise<Namespace[]>;
  /** Settings of a namespace, or for all namespaces where it is ''. Empty for a missing namespace. */
  tierSettings(namespace: string): Promise<ReadonlyMap<string, string>>;
  /** Time of the last maintenance of a namespace; absent without one. */
  maintainedAtUs(namespace: string): Promise<Micros | undefined>;

  /** Memories with pending vectors, oldest first, at most `limit`, due at `nowUs`. */
  pendingEmbeddings(read: { limit: number; nowUs: Micros }): Promise<PendingEmbedding[]>;
  /** Ids of memories that have expired at `nowUs`, in all namespaces, at most `limit`. */
  expired(read: { limit: number; nowUs: Micros }): Promise<{ namespace: string; ids: string[] }[]>;

  /** Technology and durability of the store, as text for people. */
  describe(): StoreDescription[];
  /** Finishes open writes, refuses new ones with DRAINING, releases files. Safe to call twice. */
  close(): Promise<void>;
}

/** Every kind of change of records: its fields and its outcome. */
export interface Writes {
  /**
   * Stores all of the memories or none. Fails with MEMORY_EXISTS, VERSION_MISMATCH, DIMENSION_MISMATCH, MODEL_MISMATCH,
   * NAMESPACE_FULL.
   */
  store: { write: StoreWrite; outcome: WriteOutcome };
  /**
   * Fails with MEMORY_NOT_FOUND, VERSION_MISMATCH, DIMENSION_MISMATCH, MODEL_MISMATCH; with a successor also as `store`
   * does, whose receipt then comes first.
   */
  update: { write: UpdateWrite; outcome: WriteOutcome };
  /** Erases memories with their former states; unknown ids are skipped unless `mustExist`. */
  delete: { write: DeleteWrite; outcome: DeleteOutcome };
  /** Adds one retrieval at `atUs` to each existing memory. The `revision` of the memories stays. */
  touch: { write: TouchWrite; outcome: { revision: number } };
  /**
   * Changes the tier of memories, their time of entry, and the resolution at which they are searched; revision, times,
   * counts, vectors and former states stay, and reads return them bit for bit. Memories that are missing, or in the tier
   * already, are skipped.
   */
  move: { write: MoveWrite; outcome: MoveOutcome };
  /** Stores computed vectors and removes the memories from the embedding queue; a vector of a former text is dropped. */
  setEmbeddings: { write: EmbeddingsWrite; outcome: { revision: number } };
  /** Returns memories to the end of the embedding queue; they are retried from `notBeforeUs` on. */
  postponeEmbedding: { write: PostponeWrite; outcome: undefined };

  createNamespace: { write: NamespaceWrite; outcome: NamespaceOutcome };
  updateNamespace: { write: NamespaceUpdate; outcome: NamespaceOutcome };
  /** Fails with NAMESPACE_NOT_EMPTY unless `force`. */
  deleteNamespace: { write: NamespaceDeletion; outcome: DeleteOutcome };
  /** Replaces settings of a namespace, or for all namespaces where it is ''; `null` removes one. */
  setTierSettings: { write: SettingsWrite; outcome: undefined };
  /** Records a maintenance run of a namespace. */
  setMaintained: { write: { readonly namespace: string; readonly atUs: Micros }; outcome: undefined };
}

export type ChangeKind = keyof Writes;

/** A change of one kind. */
export type ChangeOf<K extends ChangeKind> = { readonly kind: K } & Writes[K]['write'];

export type Outcome<K extends ChangeKind> = Writes[K]['outcome'];

/** A change of any kind. */
export type Change<K extends ChangeKind = ChangeKind> = { readonly [E in K]: ChangeOf<E> }[K];

export interface StoreDescription {
  role: string;
  technology: string;
  durability: string;
}

/** A memory to be stored: the caller's fields, and fields that an import keeps. */
export interface NewMemory extends MemoryFields {
  readonly id: string;
  readonly createdAtUs: Micros;
  readonly updatedAtUs: Micros;
  readonly lastAccessedAtUs?: Micros;
  readonly retrievalCount: number;
  readonly tier: Tier;
  readonly checksum: string;
  /** Record of permanently dropped data. A write without it, with equal bytes, keeps the existing record. */
  readonly compaction?: CompactionRecord;
  readonly embedding?: Embedding;
  /** True when a vector is to be computed later. */
  readonly embeddingPending: boolean;
}

export interface StoreWrite {
  readonly namespace: string;
  readonly memories: readonly NewMemory[];
  /** Creates the namespace if it does not exist. */
  readonly createNamespace: boolean;
  /**
   * Handling of an id in use: fail with MEMORY_EXISTS, keep the existing memory, or replace it (the former state
   * becomes a revision; a memory with equal fields is kept).
   */
  readonly onConflict: 'fail' | 'keep' | 'replace';
  /** Also replaces a memory with equal fields, which gets the times of the new one. Default false. */
  readonly replacesEqual?: boolean;
  /**
   * Memories that the same transaction erases with their former states, none of them in `memories`; unknown ids are
   * skipped.
   */
  readonly erasedIds?: readonly string[];
  /**
   * Required revisions of memories that the write stores or erases, by id; 0: the id must be unused. Otherwise the whole
   * write fails with VERSION_MISMATCH. Ids of other memories are ignored.
   */
  readonly expectedRevisions?: Readonly<Record<string, number>>;
  readonly atUs: Micros;
  readonly idempotency?: Idempotency;
}

export interface UpdateWrite {
  readonly namespace: string;
  readonly id: string;
  /** If present, must be the memory's revision. */
  readonly expectedRevision?: number;
  /** Values to set; `undefined` clears. The caller supplies defaults and derived text. */
  readonly changes: MemoryChanges;
  /** Does not keep the former state. Default false. */
  readonly dropsFormer?: boolean;
  /** A memory that is stored in the same transaction, as the successor of the updated one. Its id must be unused. */
  readonly successor?: NewMemory;
  readonly atUs: Micros;
  readonly idempotency?: Idempotency;
}

export type MemoryChanges = {
  readonly [K in keyof MemoryFields]?: MemoryFields[K] | undefined;
} & {
  readonly checksum?: string;
  /**
   * Record of data that the new content has lost permanently. A change of text or content without it removes the former
   * record.
   */
  readonly compaction?: CompactionRecord;
  /** `null` removes the vector. */
  readonly embedding?: Embedding | null;
  readonly embeddingPending?: boolean;
};

export interface DeleteWrite {
  readonly namespace: string;
  readonly ids: readonly string[];
  readonly cause: 'deleted' | 'expired';
  /** Fails with MEMORY_NOT_FOUND for an unknown id. */
  readonly mustExist: boolean;
  readonly expectedRevision?: number;
  /** Skips memories that are not in this tier. */
  readonly onlyIn?: Tier;
  readonly atUs: Micros;
  readonly idempotency?: Idempotency;
  /** Outcome to store for the request id instead of this write's own, when it is the last of several writes. */
  readonly outcomeToKeep?: unknown;
}

export interface WriteOutcome {
  readonly revision: number;
  /** Receipts in the order of the request. */
  readonly memories: readonly Receipt[];
}

export interface Receipt {
  readonly id: string;
  readonly revision: number;
  readonly createdAtUs: Micros;
  readonly checksum: string;
  readonly embeddingPending: boolean;
  /** False when an existing memory of the id was kept. */
  readonly written: boolean;
}

export interface DeleteOutcome {
  readonly revision: number;
  readonly deletedIds: readonly string[];
  /** Number of deleted memories by tier. */
  readonly tiers: readonly (readonly [Tier, number])[];
}

export interface TouchWrite {
  readonly namespace: string;
  readonly ids: readonly string[];
  readonly atUs: Micros;
}

export interface EmbeddingsWrite {
  readonly namespace: string;
  readonly vectors: readonly LateVector[];
  readonly atUs: Micros;
}

export interface PostponeWrite {
  readonly items: readonly PendingEmbedding[];
  readonly notBeforeUs: Micros;
}

export interface LateVector {
  readonly id: string;
  readonly checksum: string;
  /** Absent when the text has no vector, or an incompatible one: the memory only leaves the queue. */
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
  /** Wall-clock instant after which it may fail with DEADLINE_EXCEEDED. */
  readonly deadlineAtMs?: number;
  /** Absent for work of the server itself. */
  readonly asker?: Asker;
}

export interface ListRead {
  readonly namespace: string;
  readonly filter?: Filter;
  readonly order: ListOrder;
  readonly limit: number;
  /** A page ends before its texts and contents exceed this size, but holds at least one memory. */
  readonly bytesMax: number;
  readonly after?: ListPosition;
  readonly view: MemoryView;
  readonly nowUs: Micros;
  /** Absent for work of the server itself. */
  readonly asker?: Asker;
}

/**
 * Position of a memory in an order: its sort value (`null` if absent) and its position among equals, which all views of the
 * same records share.
 */
export interface ListPosition {
  readonly value: number | null;
  readonly tie: number;
}

export interface ListPage {
  readonly memories: readonly Memory[];
  /** Unreadable memories of the page, whether or not the filter would admit them. Absent: none. */
  readonly damagedIds?: readonly string[];
  /** Absent on the last page. */
  readonly next?: ListPosition;
}

/** A former or present state of a memory, and the change that led to it. Vectors are not kept. */
export interface PastState {
  readonly memory: Memory;
  readonly change: 'stored' | 'updated';
  /**
   * The bytes are damaged: `memory` has the present metadata, at about the revision of the state, without text and
   * content.
   */
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
  /** Settings of its tiers, by dotted key; see `memory/tier-settings.ts`. */
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
  /** Absent settings stay unchanged. */
  readonly settings?: readonly SettingChange[];
  readonly atUs: Micros;
  readonly idempotency?: Idempotency;
}

export interface NamespaceDeletion {
  readonly name: string;
  readonly force: boolean;
  readonly atUs: Micros;
  readonly idempotency?: Idempotency;
}

export interface SettingsWrite {
  readonly namespace: string;
  readonly settings: readonly SettingChange[];
  readonly atUs: Micros;
}

export interface NamespaceOutcome {
  readonly revision: number;
  readonly namespace: Namespace;
}
