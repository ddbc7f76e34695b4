import type { SessionChangeKind, SessionState } from '../../../memory/session.ts';

/** Tables of sessions. The SQL, with the purpose of each index, is in `session-tables.ts`. Times are in microseconds. */
export interface SessionSchema {
  session: SessionTable;
  session_erasure: { readonly session_key: number };
  session_entry: SessionEntryTable;
  session_note: SessionNoteTable;
  session_checkpoint: SessionCheckpointTable;
  session_manifest: SessionManifestTable;
  session_pack: SessionPackTable;
  session_change: SessionChangeTable;
  lifecycle_event: LifecycleEventTable;
  lifecycle_ends: { readonly namespace: string; readonly newest: number; readonly forgotten: number };
  lifecycle_consumer: LifecycleConsumerTable;
  /** One row, or none: PostgreSQL has the sessions. */
  session_home: { readonly mark: string };
  session_keyspace: { readonly namespace: string; readonly epoch: string };
}

export interface SessionTable {
  readonly key: number;
  readonly namespace: string;
  readonly id: string;
  readonly state: SessionState;
  readonly revision: number;
  readonly expires_at_us: number | null;
  /** When it ends unless it is written to. */
  readonly idle_at_us: number | null;
  readonly head_checkpoint: string;
  /** JSON of the `SessionRecord`. */
  readonly record: string;
}

export interface SessionEntryTable {
  readonly session_key: number;
  readonly key: string;
  readonly version: number;
  readonly content_revision: number;
  readonly bytes: number;
  readonly created_at_us: number;
  readonly updated_at_us: number;
  readonly expires_at_us: number | null;
  readonly media_type: string;
  readonly data: Uint8Array;
}

export interface SessionNoteTable {
  readonly session_key: number;
  readonly sequence: number;
  readonly at_us: number;
  readonly media_type: string;
  readonly data: Uint8Array;
}

export interface SessionCheckpointTable {
  readonly session_key: number;
  readonly id: string;
  readonly revision: number;
  readonly expires_at_us: number | null;
  readonly packs: readonly number[];
  /** JSON of the `Checkpoint`. */
  readonly body: string;
}

export interface SessionManifestTable {
  readonly session_key: number;
  readonly id: string;
  readonly data: Uint8Array;
}

export interface SessionPackTable {
  readonly session_key: number;
  readonly number: number;
  readonly data: Uint8Array;
}

export interface SessionChangeTable {
  readonly session_key: number;
  readonly revision: number;
  readonly part: number;
  readonly kind: SessionChangeKind;
  readonly key: string;
  readonly at_us: number;
}

interface LifecycleEventTable {
  readonly namespace: string;
  readonly sequence: number;
  readonly at_us: number;
  readonly body: string;
}

interface LifecycleConsumerTable {
  readonly namespace: string;
  readonly consumer: string;
  readonly sequence: number;
  readonly updated_at_us: number;
}
