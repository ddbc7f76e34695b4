/**
 * Sessions: a record, keys with values, the scratchpad, checkpoints, and changes. Erased sessions leave unreachable
 * rows under their keys; these are erased in small steps.
 */
const workingMemory = `
CREATE TABLE session(
  key INTEGER PRIMARY KEY AUTOINCREMENT,
  namespace TEXT NOT NULL,
  id TEXT NOT NULL,
  project TEXT NOT NULL,
  agent_type TEXT NOT NULL,
  agent TEXT NOT NULL,
  state TEXT NOT NULL,
  is_frozen INTEGER NOT NULL,
  is_spawned INTEGER NOT NULL,
  generation INTEGER NOT NULL,
  metadata TEXT NOT NULL,
  lifecycle TEXT NOT NULL,
  created_at_us INTEGER NOT NULL,
  updated_at_us INTEGER NOT NULL,
  expires_at_us INTEGER,
  idle_ttl_us INTEGER NOT NULL,
  idle_at_us INTEGER,
  revision INTEGER NOT NULL,
  compacted_revision INTEGER NOT NULL,
  default_ttl_us INTEGER NOT NULL,
  key_count INTEGER NOT NULL,
  value_bytes INTEGER NOT NULL,
  task TEXT NOT NULL,
  note_count INTEGER NOT NULL,
  note_bytes INTEGER NOT NULL,
  next_note INTEGER NOT NULL,
  notes_dropped INTEGER NOT NULL,
  checkpoint_count INTEGER NOT NULL,
  checkpoint_bytes INTEGER NOT NULL,
  head_checkpoint TEXT NOT NULL) STRICT;
-- Get by name, and the order of lists.
CREATE UNIQUE INDEX session_id ON session(namespace, id);
-- The jobs that erase expired sessions and end idle ones.
CREATE INDEX session_expiry ON session(expires_at_us) WHERE expires_at_us IS NOT NULL;
CREATE INDEX session_idle ON session(idle_at_us) WHERE idle_at_us IS NOT NULL;

CREATE TABLE session_erasure(session_key INTEGER PRIMARY KEY) STRICT;

CREATE TABLE session_entry(
  pk INTEGER PRIMARY KEY,
  session_key INTEGER NOT NULL,
  key TEXT NOT NULL,
  version INTEGER NOT NULL,
  content_revision INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  created_at_us INTEGER NOT NULL,
  updated_at_us INTEGER NOT NULL,
  expires_at_us INTEGER,
  media_type TEXT NOT NULL,
  data BLOB NOT NULL,
  UNIQUE(session_key, key)) STRICT;
-- The expiry job, and what makes room in a session.
CREATE INDEX session_entry_expiry ON session_entry(expires_at_us) WHERE expires_at_us IS NOT NULL;
CREATE INDEX session_entry_due ON session_entry(session_key, expires_at_us) WHERE expires_at_us IS NOT NULL;

CREATE TABLE session_note(
  pk INTEGER PRIMARY KEY,
  session_key INTEGER NOT NULL,
  sequence INTEGER NOT NULL,
  at_us INTEGER NOT NULL,
  media_type TEXT NOT NULL,
  data BLOB NOT NULL,
  UNIQUE(session_key, sequence)) STRICT;

-- The checkpoint as JSON, apart from its manifest, which lists are not to load.
CREATE TABLE session_checkpoint(
  session_key INTEGER NOT NULL,
  id TEXT NOT NULL,
  revision INTEGER NOT NULL,
  expires_at_us INTEGER,
  body TEXT NOT NULL,
  PRIMARY KEY(session_key, id)) STRICT, WITHOUT ROWID;
CREATE INDEX session_checkpoint_revision ON session_checkpoint(session_key, revision);
CREATE INDEX session_checkpoint_expiry ON session_checkpoint(expires_at_us) WHERE expires_at_us IS NOT NULL;

CREATE TABLE session_manifest(
  key INTEGER PRIMARY KEY, session_key INTEGER NOT NULL, id TEXT NOT NULL, data BLOB NOT NULL,
  UNIQUE(session_key, id)) STRICT;

CREATE TABLE session_pack(
  key INTEGER PRIMARY KEY, session_key INTEGER NOT NULL, number INTEGER NOT NULL, data BLOB NOT NULL,
  UNIQUE(session_key, number)) STRICT;

CREATE TABLE session_change(
  session_key INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  part INTEGER NOT NULL,
  kind TEXT NOT NULL,
  key TEXT NOT NULL,
  at_us INTEGER NOT NULL,
  PRIMARY KEY(session_key, revision, part)) STRICT, WITHOUT ROWID;
`;

/** Lifecycle events of sessions, and the positions of their consumers. */
const lifecycle = `
CREATE TABLE lifecycle_event(
  sequence INTEGER PRIMARY KEY AUTOINCREMENT,
  namespace TEXT NOT NULL,
  at_us INTEGER NOT NULL,
  body TEXT NOT NULL) STRICT;
-- Following the events of one namespace.
CREATE INDEX lifecycle_event_namespace ON lifecycle_event(namespace, sequence);
-- Erasing old events.
CREATE INDEX lifecycle_event_age ON lifecycle_event(at_us, sequence);

-- Newest event of a namespace, and its newest erased one.
CREATE TABLE lifecycle_ends(
  namespace TEXT PRIMARY KEY, newest INTEGER NOT NULL, forgotten INTEGER NOT NULL) STRICT, WITHOUT ROWID;

CREATE TABLE lifecycle_consumer(
  namespace TEXT NOT NULL,
  consumer TEXT NOT NULL,
  sequence INTEGER NOT NULL,
  updated_at_us INTEGER NOT NULL,
  PRIMARY KEY(namespace, consumer)) STRICT, WITHOUT ROWID;
`;

/** SQL of the tables of sessions. */
export const SESSION_TABLES = workingMemory + lifecycle;
