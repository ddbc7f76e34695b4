import type { CompactionRecord } from './resolution/resolution.ts';

/** Microseconds since 1970-01-01T00:00:00Z; exact as a number until the year 2255. */
export type Micros = number;

export type Tier = 'short_term' | 'intermediate' | 'long_term';

export type MemoryView = 'metadata' | 'basic' | 'full';

/** Whose memory it is inside its namespace. An empty part means "not said". */
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

/** What a caller decides of a memory; all of it can be changed by an update. */
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
  /** What it has lost for good; absent: nothing. */
  readonly compaction?: CompactionRecord;
  /** Present only where the view asks for it. */
  readonly embedding?: Embedding;
}

/** A memory that is to be stored, checked, before the server has added what it decides. */
export interface MemoryDraft extends Omit<MemoryFields, 'eventAtUs'> {
  /** Absent: a new one is made. */
  readonly id?: string;
  /** Absent: when it is stored. */
  readonly eventAtUs?: Micros;
  readonly embedding?: Embedding;
  /** What an import keeps of a memory's past. */
  readonly past?: MemoryPast;
}

export interface MemoryPast {
  readonly createdAtUs?: Micros;
  readonly updatedAtUs?: Micros;
  readonly lastAccessedAtUs?: Micros;
  readonly retrievalCount: number;
  /** What it had lost for good. */
  readonly compaction?: CompactionRecord;
}

export const DEFAULT_IMPORTANCE = 0.5;
export const DEFAULT_PRIORITY = 1;

/** Type of a memory whose caller does not say. */
export function defaultType(speaker: string): string {
  return speaker === '' ? 'fact' : 'message';
}

/** From the one that new memories come to, down. Stores keep places in this order. */
export const TIERS: readonly Tier[] = ['short_term', 'intermediate', 'long_term'];
/** Those that memories are moved down from, and that Redis has where there is one. */
export const UPPER_TIERS = ['short_term', 'intermediate'] as const satisfies readonly Tier[];
