import { readingBytesOf } from '../../memory/errors.ts';
import { checkedJson, readCheckedJson } from '../../memory/json.ts';
import type { Memory, Micros } from '../../memory/memory.ts';
import type { Resolution } from '../../memory/resolution/resolution.ts';
import type { ScopePolicy } from '../../memory/scope.ts';
import type { SessionRecord } from '../../memory/session.ts';
import type { EmbeddingState } from '../embedding-state.ts';
import type { Cursor, Subscription } from '../subscription-store.ts';
import type { PlainKind, PlainRecord } from './plain-tables.ts';

/** Number of this form of records. A target that was begun with another one is not filled further. */
export const FORM = 1;

/**
 * The records of a store in a form that no store has of its own. Revisions are of the change log of a namespace, times are
 * in microseconds.
 */
export interface RichRecords {
  settings: SettingsRecord;
  namespace: NamespaceRecord;
  change: ChangeRecord;
  memory: MemoryRecord;
  former: FormerRecord;
  kept: KeptRecord;
  subscription: SubscriptionRecord;
  session: PortableSession;
}

export type Kind = keyof RichRecords | PlainKind;
export type RecordOf<K extends Kind> = K extends keyof RichRecords ? RichRecords[K] : PlainRecord;

/** In the order of copying: records refer to earlier ones. */
export const KINDS: readonly Kind[] = [
  'settings',
  'namespace',
  'snapshot',
  'change',
  'memory',
  'former',
  'kept',
  'outcome',
  'subscription',
  'session',
  'entry',
  'note',
  'checkpoint',
  'manifest',
  'pack',
  'session_change',
  'event',
  'event_ends',
  'event_consumer',
];

/** Of all namespaces: `namespace` is empty. */
export interface SettingsRecord {
  readonly namespace: string;
  readonly settings: Readonly<Record<string, string>>;
  /** Newest revision of any namespace, also of deleted ones. */
  readonly revision: number;
}

export interface NamespaceRecord {
  readonly namespace: string;
  readonly description: string;
  readonly memoryLimit: number;
  readonly embeddingModel: string;
  readonly embeddingDimension: number;
  readonly settings: Readonly<Record<string, string>>;
  /** In the order of the parts of their scopes. */
  readonly policies: readonly ScopePolicy[];
  readonly createdAtUs: Micros;
  readonly updatedAtUs: Micros;
  /** Of its creation or last update. */
  readonly revision: number;
  /** Entries of its change log up to this revision are deleted. */
  readonly logStart: number;
  readonly maintainedAtUs: Micros | null;
  /** A recomputation of its vectors, which begins anew at the target. */
  readonly reembedding: { readonly model: string; readonly startedAtUs: Micros } | null;
}

export interface ChangeRecord {
  readonly namespace: string;
  readonly revision: number;
  /** As in `LOGGED_KINDS` of PostgreSQL. */
  readonly kind: string;
  /** Empty for changes of the namespace. */
  readonly id: string;
  readonly atUs: Micros;
  /** Places in `TIERS`. */
  readonly step: { readonly from: number; readonly to: number } | null;
  /** Of the memory that has the id now, if the entry is of that memory. */
  readonly sequence: number | null;
}

export interface MemoryRecord {
  readonly namespace: string;
  readonly sequence: number;
  /** In full. */
  readonly memory: Memory;
  readonly tierSinceUs: Micros;
  readonly embeddingState: EmbeddingState;
  /** Of the pending vector; 0 for others. */
  readonly attempts: number;
  readonly notBeforeUs: Micros;
  /** Its form in its tier; absent: in full. */
  readonly resolution?: Resolution;
  readonly hasFormer: boolean;
}

/** A former state of a memory, which may have any number of them. */
export interface FormerRecord {
  readonly namespace: string;
  readonly id: string;
  /** Of the memory. */
  readonly sequence: number;
  readonly revision: number;
  /** Revision of the next state. */
  readonly replacedBy: number;
  readonly isOldest: boolean;
  /** As `rules/former-state.ts` writes it. */
  readonly state: string;
}

/** The state at a snapshot of a memory that was erased since. */
export interface KeptRecord {
  readonly namespace: string;
  readonly snapshot: string;
  readonly id: string;
  /** As `rules/former-state.ts` writes it, with its vector. */
  readonly state: string;
}

export interface SubscriptionRecord {
  readonly namespace: string;
  readonly subscription: Omit<Subscription, 'key' | 'namespace' | 'cursors'>;
  /** By consumer. */
  readonly cursors: readonly Pick<Cursor, 'consumer' | 'acknowledgedRevision' | 'seenAtUs'>[];
}

export interface PortableSession {
  readonly namespace: string;
  readonly key: number;
  readonly record: SessionRecord;
}

export interface Page<K extends Kind> {
  readonly records: readonly RecordOf<K>[];
  /** Place after the page, in a form of the source. */
  readonly place: string;
}

/** A store that is read. */
export interface MigrationSource {
  /** Names the store and its state: two different ones have different names. */
  readonly identity: string;
  /** Records of a kind after a place, in an order of the source. A page has about `PAGE_BYTES`. */
  pages<K extends Kind>(kind: K, after?: string): AsyncIterable<Page<K>>;
  /** Approximate number of records of a kind. */
  count(kind: Kind): Promise<number>;
}

/** How far a kind was copied. */
export interface KindProgress {
  readonly place?: string;
  readonly isDone: boolean;
}

/** A store that is written. Each write is durable, with its place, when it resolves. */
export interface MigrationTarget {
  progress(kind: Kind): Promise<KindProgress>;
  write<K extends Kind>(kind: K, records: readonly RecordOf<K>[], place: string): Promise<void>;
  /** To be called after the last write of a kind. */
  end(kind: Kind): Promise<void>;
  /** Writes what is derived from all records. May be repeated. */
  complete(): Promise<void>;
  /** The records that were written, for a comparison. */
  readBack(): MigrationSource;
}

export const PAGE_RECORDS = 500;
export const PAGE_BYTES = 8_388_608;

/** Why a migration cannot go on, in one line that says what to do. */
export class MigrationError extends Error {
  override readonly name = 'MigrationError';
}

type FormerJson = { readonly revision: number };

/** The revision of a former state. Fails with CHECKSUM_MISMATCH, naming the memory. */
export function revisionOfFormer(namespace: string, id: string, state: string): number {
  return readFormer(namespace, id, state).revision;
}

/** The state with another revision. */
export function formerWithRevision(namespace: string, id: string, state: string, revision: number): string {
  const former = readFormer(namespace, id, state);
  return former.revision === revision ? state : checkedJson({ ...former, revision });
}

function readFormer(namespace: string, id: string, state: string): FormerJson {
  return readingBytesOf(namespace, id, () => readCheckedJson(state)) as FormerJson;
}
