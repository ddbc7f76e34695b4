import type { Content, Json } from './content.ts';
import type { TimeLike } from './precise-date.ts';

/** Durability of a memory, and the resolution at which it is searched. */
export type Tier = 'short_term' | 'intermediate' | 'long_term';

/**
 * Parts of a memory in an answer: `basic` all except the vector, `full` the vector too, `metadata` names, scope, times
 * and numbers only.
 */
export type MemoryView = 'basic' | 'full' | 'metadata';

/** Owner of the memory inside its namespace, from the widest to the narrowest. Absent parts are not specified. */
export interface Scope {
  readonly project?: string;
  readonly agentType?: string;
  readonly agent?: string;
  /** One conversation or run. Memories of one session are neighbours of one another in recall. */
  readonly session?: string;
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
  /** Point in a Cartesian world of one's own. */
  readonly point?: Point;
  /** Point on Earth. */
  readonly geo?: GeoPoint;
  readonly location?: string;
  readonly room?: string;
  readonly region?: string;
}

export interface Source {
  /** Speaker or actor. Searched by recall in addition to the text. */
  readonly speaker?: string;
  /** Where it can be found. Not searched. */
  readonly uri?: string;
  /** Component that stored it. */
  readonly origin?: string;
}

/** A vector and the model it was made with. The first one of a namespace fixes model and dimension for it. */
export interface Embedding {
  readonly values: Float32Array | readonly number[];
  readonly model: string;
}

/** A memory to be stored. At least one of `text`, `content` and `embedding` is required. */
export interface NewMemory {
  /** Last part of the resource name. Default: a new UUID version 7. */
  readonly id?: string;
  readonly scope?: Scope;
  /** `message`, `fact`, `episode` or any word. Default: `message` when there is a speaker, otherwise `statement`. */
  readonly type?: string;
  /** Step of the agent's run in which it happened, 0 to 2^53 - 1. */
  readonly step?: number;
  /** When it happened. Default: when it is stored. */
  readonly eventTime?: TimeLike;
  /** Searched text, in plain language. Derived from `content` when absent. */
  readonly text?: string;
  /** The content: a `Content`, or a plain value that is stored as `application/json`. */
  readonly content?: Content | NonNullable<Json>;
  readonly tags?: readonly string[];
  readonly embedding?: Embedding;
  readonly place?: Place;
  /** How much it matters, 0 to 1. Default 0.5. */
  readonly importance?: number;
  /** The caller's own priority, 0 to 1. Default 1. */
  readonly priority?: number;
  readonly source?: Source;
  /** When it is to be forgotten. */
  readonly expireTime?: TimeLike;
  /** First instant of its validity. */
  readonly validFrom?: TimeLike;
  /** First instant after its validity. */
  readonly validUntil?: TimeLike;
  /** Id of the memory that replaces this one. */
  readonly supersededBy?: string;
}

/** A memory as it was in another server: keeps its times and counts. */
export interface ImportedMemory extends NewMemory {
  readonly createTime?: TimeLike;
  readonly updateTime?: TimeLike;
  readonly lastAccessTime?: TimeLike;
  readonly retrievalCount?: number;
  /** Data removed permanently, where its namespace is configured for lossy compaction. */
  readonly compaction?: Compaction;
}

/** Changes of a memory: absent fields stay, `null` clears a field or resets it to its default. */
export type MemoryChanges = { readonly [Field in keyof Omit<NewMemory, 'id'>]?: NewMemory[Field] | null };

/** A memory as stored by the server. Parts outside of the view are empty or absent. */
export interface Memory extends ImportedMemory {
  /** Resource name, `namespaces/{namespace}/memories/{id}`. */
  readonly name: string;
  readonly namespace: string;
  readonly id: string;
  readonly scope: Scope;
  readonly type: string;
  readonly eventTime: Date;
  readonly createTime: Date;
  readonly updateTime: Date;
  readonly lastAccessTime?: Date;
  readonly expireTime?: Date;
  readonly validFrom?: Date;
  readonly validUntil?: Date;
  readonly text: string;
  readonly content?: Content;
  readonly tags: readonly string[];
  readonly embedding?: Embedding & { readonly values: Float32Array };
  readonly importance: number;
  readonly priority: number;
  readonly source: Source;
  readonly tier: Tier;
  readonly retrievalCount: number;
  /** SHA-256 of text and content, as lower-case hexadecimal. */
  readonly checksum: string;
  /** Version for changes on condition: greater after each change. */
  readonly version: number;
}

/** Data that a memory lost when it entered a tier that drops keys or rounds fractions of JSON contents. */
export interface Compaction {
  /** Checksum of the original memory. */
  readonly checksum: string;
  /** Size of the original content in bytes. */
  readonly contentBytes: number;
  readonly droppedKeys: readonly string[];
  /** Decimals that fractions were rounded to; absent when none was changed. */
  readonly decimals?: number;
}
