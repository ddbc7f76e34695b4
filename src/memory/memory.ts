import type { CompactionRecord } from './resolution/resolution.ts';

/**
 * Microseconds since 1970-01-01T00:00:00Z. Exact from 1684-07-28 to 2255-06-05; the rest of the years 1 to 9999 has whole
 * milliseconds, as `time/instants.ts` makes them.
 */
export type Micros = number;

export type Tier = 'short_term' | 'intermediate' | 'long_term';

export type MemoryView = 'metadata' | 'basic' | 'full';

/** The owner of a memory inside its namespace. An empty part means "not specified". */
export interface Scope {
  readonly project: string;
  readonly agentType: string;
  readonly agent: string;
  readonly session: string;
}

export interface Content {
  readonly mediaType: string;
  readonly data: Uint8Array;
}

export interface Embedding {
  readonly model: string;
  /** All finite, not all zero; its length is the dimension. */
  readonly values: Float32Array;
}

export interface Point {
  readonly x: number;
  readonly y: number;
  readonly z?: number;
}

export interface GeoPoint {
  readonly latitudeDeg: number;
  readonly longitudeDeg: number;
}

export interface Place {
  readonly point?: Point;
  readonly geo?: GeoPoint;
  readonly location: string;
  readonly room: string;
  readonly region: string;
}

export interface Source {
  readonly speaker: string;
  readonly uri: string;
  readonly origin: string;
}

/** Fields that the caller decides; an update can change all of them. */
export interface MemoryFields {
  readonly scope: Scope;
  readonly type: string;
  readonly step?: number;
  readonly eventAtUs: Micros;
  readonly text: string;
  /** True when `text` was made from `content` and follows it. */
  readonly textDerived: boolean;
  readonly content?: Content;
  readonly tags: readonly string[];
  readonly place?: Place;
  readonly importance: number;
  readonly priority: number;
  readonly source: Source;
  readonly expiresAtUs?: Micros;
  readonly validFromUs?: Micros;
  readonly validUntilUs?: Micros;
  /** Id, in the same namespace, of the memory that replaces this one. */
  readonly supersededBy?: string;
}

/** A memory as it is stored. */
export interface Memory extends MemoryFields {
  readonly namespace: string;
  readonly id: string;
  readonly createdAtUs: Micros;
  readonly updatedAtUs: Micros;
  readonly lastAccessedAtUs?: Micros;
  readonly retrievalCount: number;
  readonly tier: Tier;
  /** SHA-256 of text and content in lower-case hexadecimal; see `checksum.ts`. */
  readonly checksum: string;
  /** Revision at which it was stored or last updated; touching and embedding leave it as it is. */
  readonly revision: number;
  /** Record of what compaction removed permanently; absent when nothing was removed. */
  readonly compaction?: CompactionRecord;
  /** Present only where the view asks for it. */
  readonly embedding?: Embedding;
}

/** A validated memory to be stored, before the server has added the fields that it decides. */
export interface MemoryDraft extends Omit<MemoryFields, 'eventAtUs'> {
  /** Absent: a new one is made. */
  readonly id?: string;
  /** Absent: when it is stored. */
  readonly eventAtUs?: Micros;
  readonly embedding?: Embedding;
  /** History of the memory that an import preserves. */
  readonly past?: MemoryPast;
}

export interface MemoryPast {
  readonly createdAtUs?: Micros;
  readonly updatedAtUs?: Micros;
  readonly lastAccessedAtUs?: Micros;
  readonly retrievalCount: number;
  /** Record of what compaction had removed permanently. */
  readonly compaction?: CompactionRecord;
}

export const DEFAULT_IMPORTANCE = 0.5;
export const DEFAULT_PRIORITY = 1;

/** Type of a memory that says neither its type nor a speaker. */
export const STATEMENT_TYPE = 'statement';

/** Default type of a memory. */
export function defaultType(speaker: string): string {
  return speaker === '' ? STATEMENT_TYPE : 'message';
}

/** Highest tier (where new memories are stored) to lowest. Stores persist indexes into this order. */
export const TIERS: readonly Tier[] = ['short_term', 'intermediate', 'long_term'];
/** Tiers whose memories can be moved down; Redis holds them when it is configured. */
export const UPPER_TIERS = ['short_term', 'intermediate'] as const satisfies readonly Tier[];
