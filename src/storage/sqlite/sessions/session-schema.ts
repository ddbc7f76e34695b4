import type { Generated } from '#kysely';
import type { SessionChangeKind } from '../../../memory/session.ts';

/** Tables of sessions; the SQL, with the purpose of each index, is in `session-tables.ts`. */
export interface SessionSchema {
  session: SessionTable;
  session_erasure: { session_key: number };
  session_entry: EntryTable;
  session_note: NoteTable;
  session_checkpoint: CheckpointTable;
  session_manifest: ManifestTable;
  session_pack: PackTable;
  session_change: ChangeTable;
}

/** See `SessionRecord`. */
export interface SessionTable {
  key: Generated<number>;
  namespace: string;
  id: string;
  project: string;
  agent_type: string;
  agent: string;
  state: string;
  is_frozen: number;
  is_spawned: number;
  generation: number;
  metadata: string;
  lifecycle: string;
  created_at_us: number;
  updated_at_us: number;
  expires_at_us: number | null;
  revision: number;
  compacted_revision: number;
  default_ttl_us: number;
  idle_ttl_us: number;
  /** See `idleAtUs`. */
  idle_at_us: number | null;
  key_count: number;
  value_bytes: number;
  task: string;
  note_count: number;
  note_bytes: number;
  next_note: number;
  notes_dropped: number;
  checkpoint_count: number;
  checkpoint_bytes: number;
  head_checkpoint: string;
}

export interface EntryTable {
  pk: Generated<number>;
  session_key: number;
  key: string;
  version: number;
  content_revision: number;
  bytes: number;
  created_at_us: number;
  updated_at_us: number;
  expires_at_us: number | null;
  media_type: string;
  data: Uint8Array;
}

export interface NoteTable {
  pk: Generated<number>;
  session_key: number;
  sequence: number;
  at_us: number;
  media_type: string;
  data: Uint8Array;
}

interface CheckpointTable {
  session_key: number;
  id: string;
  revision: number;
  expires_at_us: number | null;
  /** JSON of the `Checkpoint`. */
  body: string;
}

interface ManifestTable {
  key: Generated<number>;
  session_key: number;
  id: string;
  data: Uint8Array;
}

interface PackTable {
  key: Generated<number>;
  session_key: number;
  number: number;
  data: Uint8Array;
}

interface ChangeTable {
  session_key: number;
  revision: number;
  part: number;
  kind: SessionChangeKind;
  key: string;
  at_us: number;
}
