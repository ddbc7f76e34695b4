export type PlainValue = string | number | Uint8Array | null;

/** The columns of a row, in the order of `PlainTable.columns`. */
export interface PlainRecord {
  readonly namespace: string;
  readonly values: readonly PlainValue[];
}

/** A table that has the same name, columns and meaning in SQLite and PostgreSQL. */
export interface PlainTable {
  readonly table: string;
  readonly columns: readonly string[];
  /** Columns of its order, which is unique. */
  readonly order: readonly string[];
  /** How a row names its namespace: by its session, by the key of the namespace, or by name. */
  readonly of: 'session' | 'key' | 'name';
  /** Its column of revisions of the log of the namespace. */
  readonly revision?: string;
  /** Its columns of sequences of lifecycle events of the namespace. */
  readonly sequences?: readonly string[];
}

export const PLAIN_TABLES = {
  snapshot: {
    table: 'agent_snapshot',
    columns: ['id', 'project', 'agent_type', 'agent', 'description', 'created_at_us', 'revision'],
    order: ['namespace_key', 'id'],
    of: 'key',
    revision: 'revision',
  },
  outcome: {
    table: 'idempotency',
    columns: ['request_id', 'fingerprint', 'outcome', 'expires_at_us'],
    // A data folder erases them in the order in which they were written.
    order: ['expires_at_us', 'namespace', 'request_id'],
    of: 'name',
  },
  entry: {
    table: 'session_entry',
    columns: [
      'session_key',
      'key',
      'version',
      'content_revision',
      'bytes',
      'created_at_us',
      'updated_at_us',
      'expires_at_us',
      'media_type',
      'data',
    ],
    order: ['session_key', 'key'],
    of: 'session',
  },
  note: {
    table: 'session_note',
    columns: ['session_key', 'sequence', 'at_us', 'media_type', 'data'],
    order: ['session_key', 'sequence'],
    of: 'session',
  },
  checkpoint: {
    table: 'session_checkpoint',
    columns: ['session_key', 'id', 'revision', 'expires_at_us', 'body'],
    order: ['session_key', 'id'],
    of: 'session',
  },
  manifest: {
    table: 'session_manifest',
    columns: ['session_key', 'id', 'data'],
    order: ['session_key', 'id'],
    of: 'session',
  },
  pack: {
    table: 'session_pack',
    columns: ['session_key', 'number', 'data'],
    order: ['session_key', 'number'],
    of: 'session',
  },
  session_change: {
    table: 'session_change',
    columns: ['session_key', 'revision', 'part', 'kind', 'key', 'at_us'],
    order: ['session_key', 'revision', 'part'],
    of: 'session',
  },
  event: {
    table: 'lifecycle_event',
    columns: ['sequence', 'at_us', 'body'],
    order: ['namespace', 'sequence'],
    of: 'name',
    sequences: ['sequence'],
  },
  event_ends: {
    table: 'lifecycle_ends',
    columns: ['newest', 'forgotten'],
    order: ['namespace'],
    of: 'name',
    sequences: ['newest', 'forgotten'],
  },
  event_consumer: {
    table: 'lifecycle_consumer',
    columns: ['consumer', 'sequence', 'updated_at_us'],
    order: ['namespace', 'consumer'],
    of: 'name',
    sequences: ['sequence'],
  },
} as const satisfies Record<string, PlainTable>;

export type PlainKind = keyof typeof PLAIN_TABLES;

export function plainTable(kind: PlainKind): PlainTable {
  return PLAIN_TABLES[kind];
}

export function isPlain(kind: string): kind is PlainKind {
  return Object.hasOwn(PLAIN_TABLES, kind);
}

/** Approximate bytes of a row. */
export function bytesOfRow(values: readonly unknown[]): number {
  const sizes = values.map((value) =>
    typeof value === 'string' ? value.length : value instanceof Uint8Array ? value.byteLength : 8,
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}
