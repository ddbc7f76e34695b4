import { chmodSync, existsSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { openWritable, type SqliteDatabase } from '../database.ts';
import { damagedFolder, FolderError, isPageDamage, sqliteCode } from '../driver-error.ts';
import { pathPrefix, valueTerm } from '../value-terms.ts';
import { foundation } from './001-foundation.ts';
import { sessions } from './004-sessions.ts';

/**
 * Applies the missing migrations of a database in order, all in one transaction. A database with data is first copied
 * beside itself, as `mneme-before-<number of the first migration applied>.db`. A database of a newer version stays
 * unchanged and is refused.
 */
export function migrate(file: string, migrations: readonly string[] = MIGRATIONS): void {
  let database: SqliteDatabase | undefined;
  try {
    database = openWritable(file);
    const applied = appliedMigrations(database);
    if (applied > migrations.length) throw new FolderError(newerSchema(file, applied, migrations.length));
    if (applied === migrations.length) return;
    if (applied > 0) backUp(database, join(dirname(file), `mneme-before-${applied + 1}.db`));
    applyFrom(database, applied, migrations);
  } catch (cause) {
    if (isPageDamage(cause)) throw damagedFolder(dirname(file), cause);
    if (!sqliteCode(cause)) throw cause;
    const why = cause instanceof Error ? cause.message : '';
    throw new FolderError(`${file} cannot be used (${why}): restore it from a copy, or use another folder`, { cause });
  } finally {
    database?.close();
  }
}

function appliedMigrations(database: SqliteDatabase): number {
  const hasMeta = database.prepare(`SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'meta'`).get();
  if (!hasMeta) return 0;
  const row = database.prepare<[], { value: number }>(`SELECT value FROM meta WHERE key = 'schema'`).get();
  return row?.value ?? 0;
}

function applyFrom(database: SqliteDatabase, applied: number, migrations: readonly string[]): void {
  database.function('value_term', { deterministic: true }, termOfStoredValue as (...values: unknown[]) => string);
  const apply = database.transaction(() => {
    for (const migration of migrations.slice(applied)) database.exec(migration);
    database.prepare(`INSERT OR REPLACE INTO meta VALUES ('schema', ?)`).run(migrations.length);
  });
  apply.exclusive();
}

/**
 * A value in a row of `memory_value`: text, number, x'00' false, x'01' true, x'' null, x'02' an empty array or object.
 */
function termOfStoredValue(namespaceKey: number, pathKey: number, value: string | number | Uint8Array): string {
  const meant = typeof value === 'object' ? [null, false, true, undefined][(value[0] ?? -1) + 1] : value;
  return pathPrefix(namespaceKey, pathKey) + valueTerm(meant);
}

/** The copy is renamed when it is complete; a copy of an earlier, failed start has the same data and is replaced. */
function backUp(database: SqliteDatabase, file: string): void {
  const unfinished = `${file}.unfinished`;
  if (existsSync(unfinished)) rmSync(unfinished);
  database.prepare('VACUUM INTO ?').run(unfinished);
  chmodSync(unfinished, 0o600);
  renameSync(unfinished, file);
}

function newerSchema(file: string, applied: number, known: number): string {
  return `${file} was written by a newer mneme (schema ${applied}, this one knows ${known}): run that version, or use another folder`;
}

/**
 * Tiers. `memory_body.packed` holds text and content of a memory in a tier that stores only an abstract uncompressed,
 * in `text`; `memory_vector.small` is a reduced vector, the form of the tier, and `data` then the rest of the
 * original vector.
 */
export const tiers = `
ALTER TABLE memory ADD COLUMN tier_since_us INTEGER NOT NULL DEFAULT 0;
-- Bytes of text and content as the tier keeps them.
ALTER TABLE memory ADD COLUMN stored_bytes INTEGER NOT NULL DEFAULT 0;
UPDATE memory SET tier_since_us = created_at_us, stored_bytes = content_bytes;
ALTER TABLE memory_body ADD COLUMN packed BLOB;
-- What was dropped for good, as JSON; empty where nothing was.
ALTER TABLE memory_body ADD COLUMN compaction TEXT NOT NULL DEFAULT '';
ALTER TABLE memory_vector ADD COLUMN small BLOB;

-- Members of a tier, longest in it first; of one agent and of one type too.
CREATE INDEX memory_tier ON memory(namespace_key, tier, tier_since_us);
DROP INDEX memory_agent;
CREATE INDEX memory_agent ON memory(namespace_key, agent, tier, tier_since_us) WHERE agent <> '';
DROP INDEX memory_type;
CREATE INDEX memory_type ON memory(namespace_key, type, tier, tier_since_us);
-- Chosen, not counted: see the migration before.
INSERT INTO sqlite_stat1(tbl, idx, stat) VALUES
  ('memory', 'memory_tier', '1000000 100000 50000 2'),
  ('memory', 'memory_agent', '1000000 100000 10000 5000 2'),
  ('memory', 'memory_type', '1000000 100000 20000 10000 2');

-- What is in the tiers: updated with every write, so that no read has to count.
CREATE TABLE tier_total(
  namespace_key INTEGER NOT NULL, tier INTEGER NOT NULL, agent TEXT NOT NULL, type TEXT NOT NULL,
  count INTEGER NOT NULL, content_bytes INTEGER NOT NULL,
  PRIMARY KEY(namespace_key, tier, agent, type)) STRICT, WITHOUT ROWID;
INSERT INTO tier_total
  SELECT namespace_key, tier, agent, type, count(*), sum(content_bytes) FROM memory
  GROUP BY namespace_key, tier, agent, type;

-- Settings of the tiers of a namespace, or of all of them: key 0.
CREATE TABLE tier_setting(
  namespace_key INTEGER NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL,
  PRIMARY KEY(namespace_key, key)) STRICT, WITHOUT ROWID;
-- When namespaces were last maintained.
CREATE TABLE tier_maintenance(namespace_key INTEGER PRIMARY KEY, at_us INTEGER NOT NULL) STRICT;
-- How far the log of the records has been followed, in a view, and which log that was.
CREATE TABLE mirror(
  namespace_key INTEGER PRIMARY KEY, epoch TEXT NOT NULL, position TEXT NOT NULL) STRICT;
`;

/**
 * Values of contents as terms of a full-text index, instead of rows in a table and an index; see
 * `docs/decisions/sqlite.md`. The function `value_term` of `migrate.ts` makes the terms.
 */
export const valueWords = `
CREATE VIRTUAL TABLE memory_value_words USING fts5(
  terms, content='', contentless_delete=1, detail=none, tokenize="ascii tokenchars '_'");
-- Which memories have a term.
CREATE VIRTUAL TABLE memory_value_terms USING fts5vocab(memory_value_words, instance);
INSERT INTO memory_value_words(rowid, terms)
  SELECT pk, group_concat(value_term(namespace_key, path_key, value), ' ') FROM memory_value GROUP BY pk;

-- What importance needs to know of a content.
ALTER TABLE memory ADD COLUMN reward REAL NOT NULL DEFAULT 0;
ALTER TABLE memory ADD COLUMN surprise REAL NOT NULL DEFAULT 0;
CREATE TEMP TABLE trait AS
  SELECT v.pk, p.path IN ('["reward"]', '["metadata","reward"]') AS is_reward, v.value,
    row_number() OVER (PARTITION BY v.pk, p.path IN ('["reward"]', '["metadata","reward"]') ORDER BY CASE p.path
      WHEN '["reward"]' THEN 1 WHEN '["metadata","reward"]' THEN 2 WHEN '["surprise"]' THEN 3
      WHEN '["surprise_factor"]' THEN 4 WHEN '["metadata","surprise"]' THEN 5 ELSE 6 END) AS place
  FROM value_path p JOIN memory_value v ON v.namespace_key = p.namespace_key AND v.path_key = p.key
  WHERE p.path IN ('["reward"]', '["metadata","reward"]', '["surprise"]', '["surprise_factor"]',
    '["metadata","surprise"]', '["metadata","surprise_factor"]') AND typeof(v.value) IN ('integer', 'real');
UPDATE memory SET reward = t.value FROM temp.trait t WHERE t.pk = memory.pk AND t.is_reward AND t.place = 1;
UPDATE memory SET surprise = max(0, min(1, t.value)) FROM temp.trait t
  WHERE t.pk = memory.pk AND NOT t.is_reward AND t.place = 1;
DROP TABLE temp.trait;

DROP TABLE memory_value;
DELETE FROM sqlite_stat1 WHERE tbl = 'memory_value';
`;

/** Durable subscriptions with their cursors, and the compacted revision of the change log. */
const streams = `
INSERT INTO meta VALUES('compacted_revision', 0);

CREATE TABLE subscription(
  key INTEGER PRIMARY KEY AUTOINCREMENT,
  namespace_key INTEGER NOT NULL,
  id TEXT NOT NULL,
  -- 1 broadcast, 2 work queue.
  mode INTEGER NOT NULL,
  -- JSON of the filter; empty for none.
  filter TEXT NOT NULL,
  -- JSON of the scope; empty for none.
  scope TEXT NOT NULL,
  ack_deadline_ms INTEGER NOT NULL,
  consumer_ttl_ms INTEGER NOT NULL,
  created_at_us INTEGER NOT NULL,
  -- Consumers that have no cursor yet begin behind this revision.
  start_revision INTEGER NOT NULL,
  UNIQUE(namespace_key, id)) STRICT;

CREATE TABLE subscription_cursor(
  subscription_key INTEGER NOT NULL,
  consumer TEXT NOT NULL,
  acknowledged_revision INTEGER NOT NULL,
  seen_at_us INTEGER NOT NULL,
  PRIMARY KEY(subscription_key, consumer)) STRICT, WITHOUT ROWID;
`;

/**
 * Statistics for the planner: many memories, few of them with the same value, tag or session. Without these, a
 * namespace looks as small as a tag, and conditions on tags and values are evaluated on all of its memories. The
 * numbers are fixed, not counted, so that plans do not depend on the data.
 */
const planner = `
ANALYZE;
DELETE FROM sqlite_stat1;
DELETE FROM sqlite_stat4;
INSERT INTO sqlite_stat1(tbl, idx, stat) VALUES
  ('memory', 'memory_id', '1000000 100000 1'),
  ('memory', 'memory_created', '1000000 100000 2'),
  ('memory', 'memory_event', '1000000 100000 2'),
  ('memory', 'memory_step', '1000000 100000 10'),
  ('memory', 'memory_importance', '1000000 100000 10000'),
  ('memory', 'memory_type', '1000000 100000 20000'),
  ('memory', 'memory_agent', '1000000 100000 10000'),
  ('memory', 'memory_session', '1000000 100000 100'),
  ('memory', 'memory_point', '100000 10000 10 2'),
  ('memory', 'memory_geo', '100000 10000 10 2'),
  ('memory', 'memory_partial', '10000 1000'),
  ('memory', 'memory_expiry', '100000 2'),
  ('memory_tag', 'memory_tag', '2000000 200000 100 1'),
  ('memory_value', 'memory_value', '5000000 500000 100000 100 1'),
  ('memory_value', 'memory_value_pk', '5000000 5'),
  ('value_path', 'sqlite_autoindex_value_path_1', '1000 100 1'),
  ('namespace', 'sqlite_autoindex_namespace_1', '10 1');
`;

/**
 * Two spaces of vectors for each namespace: the key of a vector in `memory_vector` is the memory's row key times the
 * sign of its space. `namespace.vector_sign` is the sign of the space in use.
 */
const reembedding = `
ALTER TABLE namespace ADD COLUMN vector_sign INTEGER NOT NULL DEFAULT 1;

-- Namespaces whose vectors are being made anew, in the space that is not in use.
CREATE TABLE reembedding(
  namespace_key INTEGER PRIMARY KEY,
  model TEXT NOT NULL,
  dimension INTEGER NOT NULL,
  -- Row key of the last memory done.
  cursor INTEGER NOT NULL,
  done_count INTEGER NOT NULL,
  total_count INTEGER NOT NULL,
  started_at_us INTEGER NOT NULL) STRICT;
-- Memories before the cursor whose text has changed since.
CREATE TABLE reembedding_redo(pk INTEGER PRIMARY KEY) STRICT;
-- Spaces that went out of use and whose vectors are not all erased yet.
CREATE TABLE vector_erasure(namespace_key INTEGER PRIMARY KEY, sign INTEGER NOT NULL) STRICT;
`;

/**
 * Idempotency outcomes in insertion order, which is the order of expiry, with a narrow index on the request id: in the
 * order of random request ids, each wide record was written in the middle of another page.
 */
export const outcomes = `
ALTER TABLE idempotency RENAME TO former_idempotency;
CREATE TABLE idempotency(
  key INTEGER PRIMARY KEY,
  namespace TEXT NOT NULL,
  request_id TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  outcome TEXT NOT NULL,
  expires_at_us INTEGER NOT NULL) STRICT;
INSERT INTO idempotency(namespace, request_id, fingerprint, outcome, expires_at_us)
  SELECT namespace, request_id, fingerprint, outcome, expires_at_us FROM former_idempotency ORDER BY expires_at_us;
DROP TABLE former_idempotency;
CREATE INDEX idempotency_request ON idempotency(request_id, namespace);
`;

/**
 * Memories by the names of their places, which filters and proximity use. Most memories have no place and are not in
 * the indexes.
 */
const namedPlaces = `
CREATE INDEX memory_location ON memory(namespace_key, location) WHERE location <> '';
CREATE INDEX memory_room ON memory(namespace_key, room) WHERE room <> '';
CREATE INDEX memory_region ON memory(namespace_key, region) WHERE region <> '';
-- Chosen, not counted: see 003-planner.ts.
INSERT INTO sqlite_stat1(tbl, idx, stat) VALUES
  ('memory', 'memory_location', '1000000 100000 1000'),
  ('memory', 'memory_room', '1000000 100000 1000'),
  ('memory', 'memory_region', '1000000 100000 10000');
`;

/**
 * The terms of the change log: which opening of the folder wrote which revisions. Earlier entries are one term of this
 * copy of the folder.
 */
export const logTerms = `
CREATE TABLE log_term(
  -- The newest revision before the term; what comes behind it, up to the next term, is of it.
  start_revision INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE) STRICT;
INSERT INTO log_term VALUES(0, lower(hex(randomblob(8))));
`;

/**
 * The tiers of a move, which no state of the memory holds: null in earlier entries and in other kinds; and whether a
 * subscription delivers all moves.
 */
const moves = `
ALTER TABLE change_log ADD COLUMN tier_from INTEGER;
ALTER TABLE change_log ADD COLUMN tier_to INTEGER;
ALTER TABLE subscription ADD COLUMN include_moved INTEGER NOT NULL DEFAULT 0;
`;

/** Data by which servers with views of the same records find the changes of another server in their own logs. */
const replicas = `
-- Which log revisions are of.
INSERT INTO meta SELECT 'log_id', random() & 9007199254740991;
ALTER TABLE change_log ADD COLUMN origin INTEGER NOT NULL DEFAULT 0;
CREATE INDEX change_log_origin ON change_log(namespace_key, origin) WHERE origin > 0;
ALTER TABLE mirror ADD COLUMN complete_from INTEGER NOT NULL DEFAULT 0;
`;

/** Idle timeout of a session and the start of its idle time; the job that ends idle sessions reads the index. */
const idleSessions = `
ALTER TABLE session ADD COLUMN idle_ttl_us INTEGER NOT NULL DEFAULT 0;
ALTER TABLE session ADD COLUMN idle_at_us INTEGER;
CREATE INDEX session_idle ON session(idle_at_us) WHERE idle_at_us IS NOT NULL;
`;

/** Owners of memories; dropped again by `oneOwner`. */
const ownership = `
ALTER TABLE memory ADD COLUMN hot_ownership INTEGER NOT NULL DEFAULT 0;
`;

/** The last revision whose upkeep is written; see `upkeep.ts`. */
export const settled = `
INSERT INTO meta SELECT 'settled_revision', value FROM meta WHERE key = 'revision';
`;

/**
 * Indexes that only settled memories are in; see `upkeep.ts`. A query that is to use them has the same condition. The
 * indexes of ids, expiry, places and incomplete values have every memory.
 */
const settledIndexes = `
ALTER TABLE memory ADD COLUMN is_settled INTEGER NOT NULL DEFAULT 1;
DROP INDEX memory_created;
CREATE INDEX memory_created ON memory(namespace_key, created_at_us) WHERE is_settled = 1;
DROP INDEX memory_event;
CREATE INDEX memory_event ON memory(namespace_key, event_at_us) WHERE is_settled = 1;
DROP INDEX memory_step;
CREATE INDEX memory_step ON memory(namespace_key, step) WHERE step IS NOT NULL AND is_settled = 1;
DROP INDEX memory_importance;
CREATE INDEX memory_importance ON memory(namespace_key, importance) WHERE is_settled = 1;
DROP INDEX memory_type;
CREATE INDEX memory_type ON memory(namespace_key, type, tier, tier_since_us) WHERE is_settled = 1;
DROP INDEX memory_agent;
CREATE INDEX memory_agent ON memory(namespace_key, agent, tier, tier_since_us) WHERE agent <> '' AND is_settled = 1;
DROP INDEX memory_session;
CREATE INDEX memory_session ON memory(namespace_key, session) WHERE session <> '' AND is_settled = 1;
DROP INDEX memory_tier;
CREATE INDEX memory_tier ON memory(namespace_key, tier, tier_since_us) WHERE is_settled = 1;
-- Chosen, not counted: see the migration "planner".
DELETE FROM sqlite_stat1 WHERE idx IN ('memory_created', 'memory_event', 'memory_step', 'memory_importance',
  'memory_type', 'memory_agent', 'memory_session', 'memory_tier');
INSERT INTO sqlite_stat1(tbl, idx, stat) VALUES
  ('memory', 'memory_created', '1000000 100000 2'),
  ('memory', 'memory_event', '1000000 100000 2'),
  ('memory', 'memory_step', '1000000 100000 10'),
  ('memory', 'memory_importance', '1000000 100000 10000'),
  ('memory', 'memory_type', '1000000 100000 20000 10000 2'),
  ('memory', 'memory_agent', '1000000 100000 10000 5000 2'),
  ('memory', 'memory_session', '1000000 100000 100'),
  ('memory', 'memory_tier', '1000000 100000 50000 2');
`;

/** Outcomes of stores whose upkeep waits; see `unsettled-outcomes.ts`. */
const logRequests = `
ALTER TABLE change_log ADD COLUMN request TEXT;
`;

/** The folder owns every memory in it, or is a view. */
const oneOwner = `
ALTER TABLE memory DROP COLUMN hot_ownership;
`;

/** In order of their numbers, from 1. A released migration is never changed. */
export const MIGRATIONS: readonly string[] = [
  foundation,
  reembedding,
  planner,
  sessions,
  streams,
  tiers,
  replicas,
  namedPlaces,
  valueWords,
  outcomes,
  moves,
  logTerms,
  idleSessions,
  ownership,
  settled,
  settledIndexes,
  logRequests,
  oneOwner,
];
