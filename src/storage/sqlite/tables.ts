import { SESSION_TABLES } from './sessions/session-tables.ts';

/**
 * Number of the schema of a data folder. It is raised with every change of the tables, or of the meaning of their rows: a
 * folder with another number is refused.
 */
export const SCHEMA_NUMBER = 22;

/** Numbers of the folder: revisions of its log, see `MetaTable`; `log_id` names the log. */
const numbers = `
CREATE TABLE meta(key TEXT PRIMARY KEY, value ANY NOT NULL) STRICT, WITHOUT ROWID;
`;

const namespaces = `
CREATE TABLE namespace(
  key INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL UNIQUE,
  description TEXT NOT NULL,
  memory_limit INTEGER NOT NULL,
  embedding_model TEXT NOT NULL,
  embedding_dimension INTEGER NOT NULL,
  vector_sign INTEGER NOT NULL DEFAULT 1,
  next_sequence INTEGER NOT NULL,
  created_at_us INTEGER NOT NULL,
  updated_at_us INTEGER NOT NULL,
  revision INTEGER NOT NULL) STRICT;

-- Deleted namespaces with rows that are not erased yet: a large one is erased bit by bit.
CREATE TABLE namespace_erasure(namespace_key INTEGER PRIMARY KEY) STRICT;

-- Permissions for the memories of a scope and of every scope below it.
CREATE TABLE scope_policy(
  namespace_key INTEGER NOT NULL,
  project TEXT NOT NULL,
  agent_type TEXT NOT NULL,
  agent TEXT NOT NULL,
  session TEXT NOT NULL,
  is_private INTEGER NOT NULL,
  is_read_only INTEGER NOT NULL,
  is_isolated INTEGER NOT NULL,
  PRIMARY KEY(namespace_key, project, agent_type, agent, session)) STRICT, WITHOUT ROWID;
`;

/**
 * Memories. Indexes with the condition `is_settled = 1` have settled memories only (`upkeep.ts`): a query that uses one
 * has the same condition. The indexes of ids, expiry, places and incomplete values have every memory.
 */
const memories = `
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
  tier_since_us INTEGER NOT NULL,
  speaker TEXT NOT NULL,
  x REAL, y REAL, z REAL,
  latitude REAL, longitude REAL,
  location TEXT NOT NULL,
  room TEXT NOT NULL,
  region TEXT NOT NULL,
  superseded_by TEXT NOT NULL,
  content_bytes INTEGER NOT NULL,
  stored_bytes INTEGER NOT NULL,
  values_partial INTEGER NOT NULL,
  reward REAL NOT NULL,
  surprise REAL NOT NULL,
  embedding_state INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  is_settled INTEGER NOT NULL) STRICT;

-- Get by name.
CREATE UNIQUE INDEX memory_id ON memory(namespace_key, id);
-- Orders of List; the row key decides among equals.
CREATE INDEX memory_created ON memory(namespace_key, created_at_us) WHERE is_settled = 1;
CREATE INDEX memory_event ON memory(namespace_key, event_at_us) WHERE is_settled = 1;
CREATE INDEX memory_step ON memory(namespace_key, step) WHERE step IS NOT NULL AND is_settled = 1;
CREATE INDEX memory_importance ON memory(namespace_key, importance) WHERE is_settled = 1;
-- Members of a tier, longest in it first; of one agent and of one type too, by which filters narrow besides.
CREATE INDEX memory_tier ON memory(namespace_key, tier, tier_since_us) WHERE is_settled = 1;
CREATE INDEX memory_agent ON memory(namespace_key, agent, tier, tier_since_us) WHERE agent <> '' AND is_settled = 1;
CREATE INDEX memory_type ON memory(namespace_key, type, tier, tier_since_us) WHERE is_settled = 1;
-- Narrowing by what agents filter on most.
CREATE INDEX memory_session ON memory(namespace_key, session) WHERE session <> '' AND is_settled = 1;
-- Filters and proximity. Most memories have no place, and are in none of these.
CREATE INDEX memory_point ON memory(namespace_key, x, y) WHERE x IS NOT NULL;
CREATE INDEX memory_geo ON memory(namespace_key, latitude, longitude) WHERE latitude IS NOT NULL;
CREATE INDEX memory_location ON memory(namespace_key, location) WHERE location <> '';
CREATE INDEX memory_room ON memory(namespace_key, room) WHERE room <> '';
CREATE INDEX memory_region ON memory(namespace_key, region) WHERE region <> '';
-- Candidates of every filter on values.
CREATE INDEX memory_partial ON memory(namespace_key) WHERE values_partial = 1;
-- The expiry job.
CREATE INDEX memory_expiry ON memory(expires_at_us) WHERE expires_at_us IS NOT NULL;

-- A memory in a tier that stores only an abstract uncompressed has text and content in the column packed.
CREATE TABLE memory_body(
  pk INTEGER PRIMARY KEY,
  text TEXT NOT NULL,
  text_derived INTEGER NOT NULL,
  media_type TEXT NOT NULL,
  content BLOB,
  tags TEXT NOT NULL,
  source_uri TEXT NOT NULL,
  source_origin TEXT NOT NULL,
  checksum TEXT NOT NULL,
  packed BLOB,
  compaction TEXT NOT NULL) STRICT;

-- Each namespace has two spaces of vectors: a key is the row key of the memory times the sign of the space.
CREATE TABLE memory_vector(pk INTEGER PRIMARY KEY, data BLOB NOT NULL, small BLOB) STRICT;

CREATE TABLE memory_tag(
  namespace_key INTEGER NOT NULL, tag TEXT NOT NULL, pk INTEGER NOT NULL,
  PRIMARY KEY(namespace_key, tag, pk)) STRICT, WITHOUT ROWID;

-- Terms of the text ("body") and of speaker and date ("meta"), made by word-index.ts: stems, each marked with its
-- namespace, so that a list of matches never holds rows of another. Keeps no text of its own.
CREATE VIRTUAL TABLE memory_words USING fts5(
  body, meta, content='', contentless_delete=1, tokenize="ascii tokenchars '_#+.@-'");
-- Number of memories that have a term.
CREATE VIRTUAL TABLE memory_words_terms USING fts5vocab(memory_words, row);

-- Values of contents as terms, made by value-terms.ts: docs/decisions/sqlite.md.
CREATE VIRTUAL TABLE memory_value_words USING fts5(
  terms, content='', contentless_delete=1, detail=none, tokenize="ascii tokenchars '_'");
-- Memories that have a term.
CREATE VIRTUAL TABLE memory_value_terms USING fts5vocab(memory_value_words, instance);
CREATE TABLE value_path(
  key INTEGER PRIMARY KEY AUTOINCREMENT, namespace_key INTEGER NOT NULL, path TEXT NOT NULL,
  UNIQUE(namespace_key, path)) STRICT;
`;

const tiers = `
-- Totals of the tiers: updated with every write, so that no read has to count.
CREATE TABLE tier_total(
  namespace_key INTEGER NOT NULL, tier INTEGER NOT NULL, agent TEXT NOT NULL, type TEXT NOT NULL,
  count INTEGER NOT NULL, content_bytes INTEGER NOT NULL,
  PRIMARY KEY(namespace_key, tier, agent, type)) STRICT, WITHOUT ROWID;

-- Settings of the tiers of a namespace, or of all of them: key 0.
CREATE TABLE tier_setting(
  namespace_key INTEGER NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL,
  PRIMARY KEY(namespace_key, key)) STRICT, WITHOUT ROWID;

-- Time of the last maintenance of a namespace.
CREATE TABLE tier_maintenance(namespace_key INTEGER PRIMARY KEY, at_us INTEGER NOT NULL) STRICT;
`;

const embeddings = `
-- Texts without a vector.
CREATE TABLE embedding_queue(
  pk INTEGER PRIMARY KEY, attempts INTEGER NOT NULL, not_before_us INTEGER NOT NULL) STRICT;
CREATE INDEX embedding_queue_due ON embedding_queue(not_before_us, pk);

-- Namespaces whose vectors are recomputed, in the space that is not in use.
CREATE TABLE reembedding(
  namespace_key INTEGER PRIMARY KEY,
  model TEXT NOT NULL,
  dimension INTEGER NOT NULL,
  cursor INTEGER NOT NULL,
  done_count INTEGER NOT NULL,
  total_count INTEGER NOT NULL,
  started_at_us INTEGER NOT NULL) STRICT;
-- Memories before the cursor whose text has changed since.
CREATE TABLE reembedding_redo(pk INTEGER PRIMARY KEY) STRICT;
-- Spaces that are not in use any more, with vectors that are not erased yet.
CREATE TABLE vector_erasure(namespace_key INTEGER PRIMARY KEY, sign INTEGER NOT NULL) STRICT;
`;

const changeLog = `
CREATE TABLE change_log(
  revision INTEGER PRIMARY KEY,
  kind INTEGER NOT NULL,
  namespace_key INTEGER NOT NULL,
  pk INTEGER NOT NULL,
  id TEXT NOT NULL,
  at_us INTEGER NOT NULL,
  former TEXT,
  origin INTEGER,
  copied_revision INTEGER,
  tier_from INTEGER,
  tier_to INTEGER,
  request TEXT) STRICT;
-- Former states of one memory.
CREATE INDEX change_log_former ON change_log(pk, revision) WHERE former IS NOT NULL;
-- Entries by their revision in the log of the records, in a view.
CREATE INDEX change_log_origin ON change_log(namespace_key, origin) WHERE origin IS NOT NULL;

-- A term begins after its start, and ends where the next one begins. What is copied into a new folder is of the first.
CREATE TABLE log_term(start_revision INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE) STRICT;

-- In a view: position in the log of the records, and the name of that log.
CREATE TABLE mirror(
  namespace_key INTEGER PRIMARY KEY,
  epoch TEXT NOT NULL,
  position TEXT NOT NULL,
  complete_from INTEGER NOT NULL) STRICT;

-- Outcomes in the order of insertion, which is that of expiry, with a narrow index: in the order of random request ids,
-- each wide record would be written into another page.
CREATE TABLE idempotency(
  key INTEGER PRIMARY KEY,
  namespace TEXT NOT NULL,
  request_id TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  outcome TEXT NOT NULL,
  expires_at_us INTEGER NOT NULL) STRICT;
CREATE INDEX idempotency_request ON idempotency(request_id, namespace);

CREATE TABLE subscription(
  key INTEGER PRIMARY KEY AUTOINCREMENT,
  namespace_key INTEGER NOT NULL,
  id TEXT NOT NULL,
  mode INTEGER NOT NULL,
  filter TEXT NOT NULL,
  scope TEXT NOT NULL,
  ack_deadline_ms INTEGER NOT NULL,
  consumer_ttl_ms INTEGER NOT NULL,
  include_moved INTEGER NOT NULL,
  created_at_us INTEGER NOT NULL,
  start_revision INTEGER NOT NULL,
  webhook TEXT NOT NULL,
  UNIQUE(namespace_key, id)) STRICT;
CREATE INDEX subscription_webhook ON subscription(key) WHERE webhook <> '';

CREATE TABLE subscription_cursor(
  subscription_key INTEGER NOT NULL,
  consumer TEXT NOT NULL,
  acknowledged_revision INTEGER NOT NULL,
  seen_at_us INTEGER NOT NULL,
  PRIMARY KEY(subscription_key, consumer)) STRICT, WITHOUT ROWID;
`;

const agents = `
-- A snapshot shows the memories of an agent at a revision. Former states are in the change log until their memory is
-- erased.
CREATE TABLE agent_snapshot(
  namespace_key INTEGER NOT NULL,
  id TEXT NOT NULL,
  project TEXT NOT NULL,
  agent_type TEXT NOT NULL,
  agent TEXT NOT NULL,
  description TEXT NOT NULL,
  created_at_us INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  PRIMARY KEY(namespace_key, id)) STRICT, WITHOUT ROWID;

-- Erased memories, as they were at the snapshot: JSON of FormerState in former-state.ts.
CREATE TABLE agent_snapshot_memory(
  namespace_key INTEGER NOT NULL,
  snapshot TEXT NOT NULL,
  id TEXT NOT NULL,
  state TEXT NOT NULL,
  PRIMARY KEY(namespace_key, snapshot, id)) STRICT, WITHOUT ROWID;
`;

/**
 * Statistics for the planner: many memories, few of them with the same value, tag or session. Without these, a
 * namespace looks as small as a tag, and conditions on tags are evaluated on all of its memories. The numbers are
 * fixed, not counted, so that plans do not depend on the data.
 */
const statistics = `
ANALYZE sqlite_schema;
INSERT INTO sqlite_stat1(tbl, idx, stat) VALUES
  ('namespace', 'sqlite_autoindex_namespace_1', '10 1'),
  ('memory', 'memory_id', '1000000 100000 1'),
  ('memory', 'memory_created', '1000000 100000 2'),
  ('memory', 'memory_event', '1000000 100000 2'),
  ('memory', 'memory_step', '1000000 100000 10'),
  ('memory', 'memory_importance', '1000000 100000 10000'),
  ('memory', 'memory_tier', '1000000 100000 50000 2'),
  ('memory', 'memory_agent', '1000000 100000 10000 5000 2'),
  ('memory', 'memory_type', '1000000 100000 20000 10000 2'),
  ('memory', 'memory_session', '1000000 100000 100'),
  ('memory', 'memory_point', '100000 10000 10 2'),
  ('memory', 'memory_geo', '100000 10000 10 2'),
  ('memory', 'memory_location', '1000000 100000 1000'),
  ('memory', 'memory_room', '1000000 100000 1000'),
  ('memory', 'memory_region', '1000000 100000 10000'),
  ('memory', 'memory_partial', '10000 1000'),
  ('memory', 'memory_expiry', '100000 2'),
  ('memory_tag', 'memory_tag', '2000000 200000 100 1'),
  ('value_path', 'sqlite_autoindex_value_path_1', '1000 100 1');
`;

const firstRows = `
INSERT INTO meta VALUES
  ('schema', ${SCHEMA_NUMBER}), ('log_id', random() & 9007199254740991),
  ('revision', 0), ('settled_revision', 0), ('compacted_revision', 0);
INSERT INTO log_term VALUES(0, lower(hex(randomblob(8))));
`;

/** SQL of all tables of an empty data folder. */
export const TABLES = [
  numbers,
  namespaces,
  memories,
  tiers,
  embeddings,
  changeLog,
  agents,
  SESSION_TABLES,
  statistics,
  firstRows,
].join('');
