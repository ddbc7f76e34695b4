import type { Generated } from '#kysely';
import type { SessionSchema } from './sessions/session-schema.ts';

/** Tables, as Kysely types. The SQL, with the purpose of each index, is in `tables.ts`. Times are in microseconds. */
export interface Schema extends SessionSchema {
  meta: MetaTable;
  namespace: Omit<NamespaceTable, 'key' | 'snapshot_count' | 'log_start' | 'vector_sign'> & {
    readonly key: Generated<number>;
    readonly vector_sign: Generated<number>;
    readonly log_start: Generated<number>;
    readonly snapshot_count: Generated<number>;
  };
  namespace_erasure: { readonly namespace_key: number };
  memory: MemoryTable;
  erased_memory: ErasedMemoryTable;
  agent_snapshot: AgentSnapshotTable;
  reembedding: ReembeddingTable;
  reembedded: ReembeddedTable;
  vector_erasure: { readonly space: number };
  memory_body: MemoryBodyTable;
  body_erasure: BodyErasureTable;
  memory_vector: MemoryVectorTable;
  memory_revision: MemoryRevisionTable;
  change_log: ChangeLogTable;
  idempotency: IdempotencyTable;
  subscription: Omit<SubscriptionRow, 'key'> & { readonly key: Generated<number> };
  subscription_cursor: SubscriptionCursorTable;
}

/** One row. */
interface MetaTable {
  /** `SCHEMA_NUMBER` of `tables.ts`. */
  readonly schema_number: number;
  /** Newest revision of any deleted namespace: revisions of a namespace that is created later are higher. */
  readonly revision_floor: number;
  /** JSON of the tier settings for all namespaces. */
  readonly settings: string;
}

export interface NamespaceTable {
  readonly key: number;
  readonly name: string;
  readonly description: string;
  readonly memory_limit: number;
  readonly embedding_model: string;
  readonly embedding_dimension: number;
  /** JSON of its tier settings. */
  readonly settings: string;
  /** JSON of the policies of its scopes, in order. */
  readonly policies: string;
  readonly created_at_us: number;
  readonly updated_at_us: number;
  /** Revision of its creation or last update. */
  readonly revision: number;
  /** Newest revision of its change log. */
  readonly log_revision: number;
  /** Entries of its change log up to this revision are deleted. */
  readonly log_start: number;
  readonly next_sequence: number;
  readonly memory_count: number;
  readonly maintained_at_us: number | null;
  /** 1 or -1: of the space of the vectors in use (`tables.ts`). */
  readonly vector_sign: number;
  /** Snapshots of its agents. */
  readonly snapshot_count: number;
}

/** Narrow and often changed: what work lists and counts need, and the remaining fields as JSON. */
export interface MemoryTable {
  readonly namespace_key: number;
  readonly id: string;
  /** Place in the order of storing, from 1; a memory that is stored anew under the id has another one. */
  readonly sequence: number;
  readonly revision: number;
  /** 0 stored, 1 updated. */
  readonly change: number;
  /** Place in `TIERS`. */
  readonly tier: number;
  readonly tier_since_us: number;
  readonly expires_at_us: number | null;
  readonly retrieval_count: number;
  readonly last_accessed_at_us: number | null;
  /** 0 none, 1 pending, 2 there. */
  readonly embedding_state: number;
  readonly attempts: number;
  readonly not_before_us: number;
  readonly checksum: string;
  /** JSON with its checksum (`memory-rows.ts`). */
  readonly fields: string;
  /** Of its scope. */
  readonly agent: string;
}

/** A memory that a snapshot shows. */
export interface ErasedMemoryTable extends MemoryTable {
  /** Of its vector. */
  readonly embedding_model: string;
  readonly vector: Uint8Array | null;
  /** After every snapshot that shows it, and before any other. */
  readonly erased_revision: number;
}

export interface AgentSnapshotTable {
  readonly namespace_key: number;
  readonly id: string;
  readonly project: string;
  readonly agent_type: string;
  readonly agent: string;
  readonly description: string;
  readonly created_at_us: number;
  /** Newest revision of the namespace that it shows. */
  readonly revision: number;
}

export interface MemoryBodyTable {
  readonly namespace_key: number;
  readonly sequence: number;
  readonly text: string;
  /** Of the content; null without one. */
  readonly media_type: string | null;
  readonly content: Uint8Array | null;
  /** Of the body in another store (`external-bodies.ts`): text and content are empty then. */
  readonly body_key?: string | null;
  /** Of text and content in the other store. */
  readonly body_bytes?: number | null;
}

/** Keys of bodies in another store that no row has any more. */
interface BodyErasureTable {
  readonly body_key: string;
}

export interface MemoryVectorTable {
  /** The space (`tables.ts`). */
  readonly namespace_key: number;
  readonly sequence: number;
  /** As `memory/resolution/plain-vector.ts` writes it. */
  readonly data: Uint8Array;
}

export interface MemoryRevisionTable {
  readonly namespace_key: number;
  readonly sequence: number;
  readonly revision: number;
  readonly change: number;
  /** JSON of `rules/former-state.ts`. */
  readonly state: string;
}

export interface ChangeLogTable {
  readonly namespace_key: number;
  readonly revision: number;
  /** Place in `LOGGED_KINDS` of `write-draft.ts`. */
  readonly kind: number;
  /** Empty for changes of the namespace. */
  readonly id: string;
  readonly at_us: number;
  readonly tier_from: number | null;
  readonly tier_to: number | null;
}

export interface IdempotencyTable {
  readonly namespace: string;
  readonly request_id: string;
  readonly fingerprint: string;
  /** JSON of the first outcome. */
  readonly outcome: string;
  readonly expires_at_us: number;
}

export interface SubscriptionRow {
  readonly key: number;
  readonly namespace_key: number;
  readonly id: string;
  readonly consumer_ttl_ms: number;
  /** Newest revision of the namespace at its creation. */
  readonly start_revision: number;
  readonly has_webhook: boolean;
  /** JSON of its other values. */
  readonly record: string;
}

export interface SubscriptionCursorTable {
  readonly subscription_key: number;
  /** Empty: that of a work queue. */
  readonly consumer: string;
  /** Acknowledged revision of the log of the namespace. */
  readonly revision: number;
  readonly seen_at_us: number;
}

export interface ReembeddingTable {
  readonly namespace_key: number;
  readonly model: string;
  /** 0 until the first vector. */
  readonly dimension: number;
  /** Memories up to this number were read. */
  readonly cursor: number;
  readonly done_count: number;
  readonly total_count: number;
  readonly started_at_us: number;
}

export interface ReembeddedTable {
  readonly namespace_key: number;
  readonly sequence: number;
  readonly checksum: string;
  readonly has_vector: boolean;
}
