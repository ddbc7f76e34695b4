import type { Entry } from '../rules/draft.ts';

/** Checksums that compare a memory with one of another store, without the bytes of either. */
export interface EntrySums {
  /** The fields as stored, including the checksum of text and content. */
  readonly laid: string;
  /** The last bytes of the vector: its checksum. */
  readonly vectorTail: Buffer | undefined;
}

/** An entry in its Redis form. */
export interface KeyspaceEntry extends Entry {
  /** The bytes after the fields: reused where the body is unchanged. */
  readonly tail?: Buffer;
  /** The body is long and has a string of its own. */
  readonly isBodyBeside?: boolean;
  /** Checksum of a stored vector that was not read. */
  readonly embeddingModel?: string;
  /** Present in the view of sums. */
  readonly sums?: EntrySums;
}

/** For an entry that is cached: the bytes after its fields would retain a whole reply of Redis. */
export function withoutTail(entry: KeyspaceEntry): Entry {
  if (!entry.tail) return entry;
  const { tail: _, ...rest } = entry;
  return rest;
}
