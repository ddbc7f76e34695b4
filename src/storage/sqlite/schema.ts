import type { ColumnType, Generated } from '#kysely';
import type { SessionSchema } from './sessions/session-schema.ts';

/**
 * Tables of a data folder, as Kysely types. The SQL, with the purpose of each index, is in `tables.ts`.
 *
 * A row key (`pk`) is `namespaceKey * 2^33 + sequence`: memories of a namespace lie side by side in every table, a
 * namespace is a range of keys in the full-text index, and keys are exact in JavaScript (20 + 33 bits). Sequences start
 * at 1 and are never used twice.
 */
export interface Schema extends SessionSchema {
  namespace: NamespaceTable;
  namespace_erasure: NamespaceErasureTable;
  memory: MemoryTable;
  memory_body: MemoryBodyTable;
  memory_vector: MemoryVectorTable;
  memory_tag: MemoryTagTable;
  value_path: ValuePathTable;
  change_log: ChangeLogTable;
  log_term: LogTermTable;
  idempotency: IdempotencyTable;
  embedding_queue: EmbeddingQueueTable;
  reembedding: ReembeddingTable;
  reembedding_redo: ReembeddingRedoTable;
  vector_erasure: VectorErasureTable;
  subscription: SubscriptionTable;
  subscription_cursor: SubscriptionCursorTable;
  meta: MetaTable;
  tier_total: TierTotalTable;
  tier_setting: TierSettingTable;
  tier_maintenance: TierMaintenanceTable;
  mirror: MirrorTable;
}

export interface NamespaceTable {
  key: Generated<number>;
  name: string;
  description: string;
  memory_limit: number;
  embedding_model: string;
  embedding_dimension: number;
  next_sequence: number;
  created_at_us: number;
  updated_at_us: number;
  revision: number;
  /** Sign of the space of vectors in use; see `MemoryVectorTable`. */
  vector_sign: number;
}

/** Deleted namespaces with rows that are not erased yet. */
interface NamespaceErasureTable {
  namespace_key: number;
}

/** Narrow and hot: the columns of filters, ranking and access counts. Unset texts are ''. */
export interface MemoryTable {
  pk: number;
  namespace_key: number;
  id: string;
  type: string;
  project: string;
  agent_type: string;
  agent: string;
  session: string;
  step: number | null;
  event_at_us: number;
  created_at_us: number;
  updated_at_us: number;
  last_accessed_at_us: number | null;
  expires_at_us: number | null;
  valid_from_us: number | null;
  valid_until_us: number | null;
  importance: number;
  priority: number;
  retrieval_count: number;
  /** 1 short-term, 2 intermediate, 3 long-term. */
  tier: number;
  /** Time of entry into its tier. */
  tier_since_us: number;
  /** Bytes of text and content as stored: abstract, packed or plain. */
  stored_bytes: number;
  speaker: string;
  x: number | null;
  y: number | null;
  z: number | null;
  latitude: number | null;
  longitude: number | null;
  location: string;
  room: string;
  region: string;
  superseded_by: string;
  /** Bytes of text and content. */
  content_bytes: number;
  /** 1 when not every value of the content is in the index of values: such a row is a candidate of every path filter. */
  values_partial: number;
  /** As `memory/importance.ts` reads them from the content; 0 if absent. */
  reward: number;
  surprise: number;
  /** 0 no vector, 1 pending, 2 stored. */
  embedding_state: number;
  revision: number;
  /** 0 while its upkeep is left to a later transaction (`upkeep.ts`): most indexes do not have it. */
  is_settled: number;
}

/** Wide and cold: the returned columns. */
export interface MemoryBodyTable {
  pk: number;
  text: string;
  text_derived: number;
  media_type: string;
  content: Uint8Array | null;
  /** JSON array of texts. */
  tags: string;
  source_uri: string;
  source_origin: string;
  checksum: string;
  /** Text and content where `text` is an abstract and `content` is empty; see `memory/resolution/lower-body.ts`. */
  packed: Uint8Array | null;
  /** JSON that describes permanently dropped data (`memory/resolution/compaction.ts`); empty if nothing was dropped. */
  compaction: string;
}

export interface MemoryVectorTable {
  /** The memory's row key in one space of vectors, its negative in the other. */
  pk: number;
  /** As many f32 as the namespace's dimension, with their checksum: `memory/resolution/plain-vector.ts`. */
  data: Uint8Array;
  /** Reduced vector of the memory's tier; `data` is then the rest: `memory/resolution/lower-vector.ts`. */
  small: Generated<Uint8Array | null>;
}

interface MemoryTagTable {
  namespace_key: number;
  tag: string;
  pk: number;
}

interface ValuePathTable {
  key: Generated<number>;
  namespace_key: number;
  path: string;
}

interface IdempotencyTable {
  key: Generated<number>;
  namespace: string;
  request_id: string;
  fingerprint: string;
  /** JSON of the first outcome. */
  outcome: string;
  expires_at_us: number;
}

interface EmbeddingQueueTable {
  pk: number;
  attempts: number;
  not_before_us: number;
}

/** A namespace whose vectors are being recomputed in the space that is not in use. */
export interface ReembeddingTable {
  namespace_key: number;
  model: string;
  /** 0 until the first vector. */
  dimension: number;
  /** Row key of the last processed memory. */
  cursor: number;
  done_count: number;
  total_count: number;
  started_at_us: number;
}

/** Memories up to the cursor whose text has changed since. */
interface ReembeddingRedoTable {
  pk: number;
}

/** Spaces that are no longer in use, with vectors that are not erased yet. */
interface VectorErasureTable {
  namespace_key: number;
  sign: number;
}

/** A durable subscription. */
export interface SubscriptionTable {
  key: Generated<number>;
  namespace_key: number;
  id: string;
  /** 1 broadcast, 2 work queue. */
  mode: number;
  /** JSON of the filter, its original form and the scope; empty without a filter. */
  filter: string;
  scope: string;
  ack_deadline_ms: number;
  consumer_ttl_ms: number;
  include_moved: number;
  created_at_us: number;
  /** Consumers without a cursor start after it. */
  start_revision: number;
  /** JSON of `Webhook`; empty without one. */
  webhook: string;
}

/** Acknowledged position of a consumer, or of a work queue under the name ''. */
interface SubscriptionCursorTable {
  subscription_key: number;
  consumer: string;
  acknowledged_revision: number;
  seen_at_us: number;
}

/**
 * `compacted_revision`: entries of the change log up to it are compacted. `revision`: newest revision in use, unless the
 * log has a newer entry. `settled_revision`: entries after it are of new memories without upkeep (`upkeep.ts`).
 * `schema`: number of the schema (`tables.ts`). `log_id`: name of the log of this folder.
 */
interface MetaTable {
  key: string;
  value: number | string;
}

export const SEQUENCE_BITS = 33;
export const SEQUENCES = 2 ** SEQUENCE_BITS;

export function rowKey(namespaceKey: number, sequence: number): number {
  return namespaceKey * SEQUENCES + sequence;
}

export function sequenceOf(pk: number): number {
  return pk % SEQUENCES;
}

export function namespaceKeyOf(pk: number): number {
  return Math.floor(pk / SEQUENCES);
}

/** First and last possible row key of a namespace. */
export function rowKeyRange(namespaceKey: number): { first: number; last: number } {
  return { first: namespaceKey * SEQUENCES, last: (namespaceKey + 1) * SEQUENCES - 1 };
}

/** In a view: position in the log of the records up to which it has been followed. */
interface MirrorTable {
  namespace_key: number;
  epoch: string;
  position: string;
  /** Entries of the records up to this revision may be missing here. */
  complete_from: number;
}

/** Totals of a tier; see `changes.ts`. */
interface TierTotalTable {
  namespace_key: number;
  tier: number;
  agent: string;
  type: string;
  count: number;
  content_bytes: number;
}

interface TierSettingTable {
  /** 0 for all namespaces. */
  namespace_key: number;
  key: string;
  value: string;
}

interface TierMaintenanceTable {
  namespace_key: number;
  at_us: number;
}

export interface ChangeLogTable {
  revision: number;
  /**
   * 1 stored, 2 updated, 3 deleted, 4 expired, 5 embedded, 6 touched, 7 namespace created, 8 updated, 9 deleted, 10 its
   * vectors replaced by those of another space. Of a memory: 11 moved to another tier, 12 moved, and recall ranks on
   * another text there, 13 its vector has another form alone; 12 and 13 also for a change of resolution within a tier.
   */
  kind: number;
  namespace_key: number;
  /** 0 for changes of a namespace. */
  pk: number;
  id: string;
  at_us: number;
  /** For `updated`: the state before, as JSON of `FormerState` in `rules/former-state.ts`. Erased with the memory. */
  former: ColumnType<string | null, string | null, string | null>;
  /** In a view: revision of the entry in the log of the records (`LogSource` in `change-log.ts`). */
  origin: ColumnType<number | null, number | null, number | null>;
  /** In a view: revision of a state that was copied without an entry of that log. */
  copied_revision: ColumnType<number | null, number | null, number | null>;
  /** The tiers before and after a move, if known. */
  tier_from: number | null;
  tier_to: number | null;
  /** JSON of the outcome of the request that made it, while it has no row of its own (`UnsettledOutcomes` in `idempotency.ts`). */
  request: Generated<string | null>;
}

/** Terms: the openings of the folder that have written; see `change-log.ts`. */
interface LogTermTable {
  /** Newest revision before the term. */
  start_revision: number;
  id: string;
}
