/** The first schema: memories with their indexes, change log, idempotency records, embedding queue. */
export const foundation = `
CREATE TABLE meta(key TEXT PRIMARY KEY, value ANY NOT NULL) STRICT, WITHOUT ROWID;

CREATE TABLE namespace(
  key INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL UNIQUE,
  description TEXT NOT NULL,
  memory_limit INTEGER NOT NULL,
  embedding_model TEXT NOT NULL,
  embedding_dimension INTEGER NOT NULL,
  next_sequence INTEGER NOT NULL,
  created_at_us INTEGER NOT NULL,
  updated_at_us INTEGER NOT NULL,
  revision INTEGER NOT NULL) STRICT;

-- Namespaces that are deleted but whose rows are not all erased yet: a large one is erased bit by bit.
CREATE TABLE namespace_erasure(namespace_key INTEGER PRIMARY KEY) STRICT;

CREATE TABLE memory(
  pk INTEGER PRIMARY KEY,
  namespace_key INTEGER NOT NULL,
  id TEXT NOT NULL,
  type TEXT NOT NULL,
  project TEXT NOT NULL,
  agent_type TEXT NOT NULL,
  agent TEXT NOT NULL,
  session TEXT NOT NULL,
  step INTEGER,
  event_at_us INTEGER NOT NULL,
  created_at_us INTEGER NOT NULL,
  updated_at_us INTEGER NOT NULL,
  last_accessed_at_us INTEGER,
  expires_at_us INTEGER,
  valid_from_us INTEGER,
  valid_until_us INTEGER,
  importance REAL NOT NULL,
  priority REAL NOT NULL,
  retrieval_count INTEGER NOT NULL,
  tier INTEGER NOT NULL,
  speaker TEXT NOT NULL,
  x REAL, y REAL, z REAL,
  latitude REAL, longitude REAL,
  location TEXT NOT NULL,
  room TEXT NOT NULL,
  region TEXT NOT NULL,
  superseded_by TEXT NOT NULL,
  content_bytes INTEGER NOT NULL,
  values_partial INTEGER NOT NULL,
  embedding_state INTEGER NOT NULL,
  revision INTEGER NOT NULL) STRICT;

-- Get by name.
CREATE UNIQUE INDEX memory_id ON memory(namespace_key, id);
-- Orders of List; all end in the row key, which decides among equals.
CREATE INDEX memory_created ON memory(namespace_key, created_at_us);
CREATE INDEX memory_event ON memory(namespace_key, event_at_us);
CREATE INDEX memory_step ON memory(namespace_key, step) WHERE step IS NOT NULL;
CREATE INDEX memory_importance ON memory(namespace_key, importance);
-- Narrowing by what agents filter on most.
CREATE INDEX memory_type ON memory(namespace_key, type);
CREATE INDEX memory_agent ON memory(namespace_key, agent) WHERE agent <> '';
CREATE INDEX memory_session ON memory(namespace_key, session) WHERE session <> '';
CREATE INDEX memory_point ON memory(namespace_key, x, y) WHERE x IS NOT NULL;
CREATE INDEX memory_geo ON memory(namespace_key, latitude, longitude) WHERE latitude IS NOT NULL;
CREATE INDEX memory_partial ON memory(namespace_key) WHERE values_partial = 1;
-- What the expiry job looks for.
CREATE INDEX memory_expiry ON memory(expires_at_us) WHERE expires_at_us IS NOT NULL;

CREATE TABLE memory_body(
  pk INTEGER PRIMARY KEY,
  text TEXT NOT NULL,
  text_derived INTEGER NOT NULL,
  media_type TEXT NOT NULL,
  content BLOB,
  tags TEXT NOT NULL,
  source_uri TEXT NOT NULL,
  source_origin TEXT NOT NULL,
  checksum TEXT NOT NULL) STRICT;

CREATE TABLE memory_vector(pk INTEGER PRIMARY KEY, data BLOB NOT NULL) STRICT;

CREATE TABLE memory_tag(
  namespace_key INTEGER NOT NULL, tag TEXT NOT NULL, pk INTEGER NOT NULL,
  PRIMARY KEY(namespace_key, tag, pk)) STRICT, WITHOUT ROWID;

CREATE TABLE value_path(
  key INTEGER PRIMARY KEY AUTOINCREMENT, namespace_key INTEGER NOT NULL, path TEXT NOT NULL,
  UNIQUE(namespace_key, path)) STRICT;

CREATE TABLE memory_value(
  namespace_key INTEGER NOT NULL, path_key INTEGER NOT NULL, value ANY NOT NULL, pk INTEGER NOT NULL,
  PRIMARY KEY(namespace_key, path_key, value, pk)) STRICT, WITHOUT ROWID;
-- Erasing the values of one memory.
CREATE INDEX memory_value_pk ON memory_value(pk);

-- Terms of the text ("body") and of speaker and date ("meta"), made by word-terms.ts: stems, each marked with its
-- namespace, so that a list of matches never holds rows of another. Keeps no text of its own.
CREATE VIRTUAL TABLE memory_words USING fts5(
  body, meta, content='', contentless_delete=1, tokenize="ascii tokenchars '_'");
-- Number of memories that have a term.
CREATE VIRTUAL TABLE memory_words_terms USING fts5vocab(memory_words, row);

CREATE TABLE change_log(
  revision INTEGER PRIMARY KEY,
  kind INTEGER NOT NULL,
  namespace_key INTEGER NOT NULL,
  pk INTEGER NOT NULL,
  id TEXT NOT NULL,
  at_us INTEGER NOT NULL,
  former TEXT) STRICT;
-- Former states of one memory.
CREATE INDEX change_log_former ON change_log(pk, revision) WHERE former IS NOT NULL;

CREATE TABLE idempotency(
  namespace TEXT NOT NULL,
  request_id TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  outcome TEXT NOT NULL,
  expires_at_us INTEGER NOT NULL,
  PRIMARY KEY(namespace, request_id)) STRICT, WITHOUT ROWID;
CREATE INDEX idempotency_expiry ON idempotency(expires_at_us);

CREATE TABLE embedding_queue(
  pk INTEGER PRIMARY KEY, attempts INTEGER NOT NULL, not_before_us INTEGER NOT NULL) STRICT;
CREATE INDEX embedding_queue_due ON embedding_queue(not_before_us, pk);

INSERT INTO meta VALUES('revision', 0);
`;
