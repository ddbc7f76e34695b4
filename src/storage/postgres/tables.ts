import { SESSION_TABLES } from './sessions/session-tables.ts';

/**
 * Number of the schema of the tables. It is raised with every change of the tables, or of the meaning of their rows:
 * tables with another number are refused.
 */
export const SCHEMA_NUMBER = 11;

/** One row. */
const numbers = `
CREATE TABLE meta(
  schema_number integer NOT NULL,
  revision_floor bigint NOT NULL,
  settings text NOT NULL);
INSERT INTO meta VALUES (${SCHEMA_NUMBER}, 0, '{}');
`;

/**
 * Memories by id, with their bodies, vectors and former states apart, so that a retrieval or a move rewrites no text.
 * There is no index for searching: lists, counts and recall are answered by a view that follows the change log.
 */
const memories = `
CREATE TABLE namespace(
  key bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name text COLLATE "C" NOT NULL UNIQUE,
  description text NOT NULL,
  memory_limit bigint NOT NULL,
  embedding_model text NOT NULL,
  embedding_dimension integer NOT NULL,
  vector_sign smallint NOT NULL DEFAULT 1,
  settings text NOT NULL,
  policies text NOT NULL,
  created_at_us bigint NOT NULL,
  updated_at_us bigint NOT NULL,
  revision bigint NOT NULL,
  log_revision bigint NOT NULL,
  log_start bigint NOT NULL DEFAULT 0,
  next_sequence bigint NOT NULL,
  memory_count bigint NOT NULL,
  snapshot_count integer NOT NULL DEFAULT 0,
  maintained_at_us bigint);

-- Deleted namespaces with rows that are not erased yet.
CREATE TABLE namespace_erasure(namespace_key bigint PRIMARY KEY);

CREATE TABLE memory(
  namespace_key bigint NOT NULL,
  id text COLLATE "C" NOT NULL,
  sequence bigint NOT NULL,
  revision bigint NOT NULL,
  change smallint NOT NULL,
  tier smallint NOT NULL,
  tier_since_us bigint NOT NULL,
  expires_at_us bigint,
  retrieval_count bigint NOT NULL,
  last_accessed_at_us bigint,
  embedding_state smallint NOT NULL,
  attempts integer NOT NULL,
  not_before_us bigint NOT NULL,
  checksum text NOT NULL,
  fields text NOT NULL,
  agent text COLLATE "C" NOT NULL,
  PRIMARY KEY(namespace_key, id)) WITH (fillfactor = 80);
-- Copies of a whole namespace, in order.
CREATE UNIQUE INDEX memory_sequence ON memory(namespace_key, sequence);
-- Snapshots of an agent.
CREATE INDEX memory_agent ON memory(namespace_key, agent) WHERE agent <> '';
-- Work lists.
CREATE INDEX memory_expiry ON memory(expires_at_us) WHERE expires_at_us IS NOT NULL;
CREATE INDEX memory_pending ON memory(not_before_us, namespace_key, sequence) WHERE embedding_state = 1;

CREATE TABLE memory_vector(
  namespace_key bigint NOT NULL,
  sequence bigint NOT NULL,
  data bytea NOT NULL,
  PRIMARY KEY(namespace_key, sequence));

CREATE TABLE memory_revision(
  namespace_key bigint NOT NULL,
  sequence bigint NOT NULL,
  revision bigint NOT NULL,
  change smallint NOT NULL,
  state text NOT NULL,
  PRIMARY KEY(namespace_key, sequence, revision));
`;

/**
 * Bodies of memories may be in another store, under keys that their rows have; text and content are empty then. A key that
 * no row has any more waits in body_erasure until the body is erased.
 */
const bodies = `
CREATE TABLE memory_body(
  namespace_key bigint NOT NULL,
  sequence bigint NOT NULL,
  text text NOT NULL,
  media_type text,
  content bytea,
  body_key text COLLATE "C",
  body_bytes bigint,
  PRIMARY KEY(namespace_key, sequence));
CREATE UNIQUE INDEX memory_body_external ON memory_body(body_key) WHERE body_key IS NOT NULL;

CREATE TABLE body_erasure(body_key text COLLATE "C" PRIMARY KEY);

CREATE FUNCTION note_body_erasure() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('INSERT INTO %I.body_erasure VALUES ($1) ON CONFLICT DO NOTHING', TG_TABLE_SCHEMA) USING OLD.body_key;
  RETURN NULL;
END $$;
CREATE TRIGGER body_erased AFTER DELETE ON memory_body FOR EACH ROW
  WHEN (OLD.body_key IS NOT NULL) EXECUTE FUNCTION note_body_erasure();
CREATE TRIGGER body_replaced AFTER UPDATE ON memory_body FOR EACH ROW
  WHEN (OLD.body_key IS NOT NULL AND OLD.body_key IS DISTINCT FROM NEW.body_key) EXECUTE FUNCTION note_body_erasure();
`;

/**
 * Vectors of a namespace lie in the space of its key, or in that of the negative key: those that are recomputed are made
 * in the other space, and come into use when the sign of the namespace changes. memory_vector.namespace_key is the space.
 */
const reembedding = `
CREATE TABLE reembedding(
  namespace_key bigint PRIMARY KEY,
  model text NOT NULL,
  dimension integer NOT NULL,
  cursor bigint NOT NULL,
  done_count bigint NOT NULL,
  total_count bigint NOT NULL,
  started_at_us bigint NOT NULL);

-- Texts with a new vector, or without one; an empty checksum: the text has changed meanwhile.
CREATE TABLE reembedded(
  namespace_key bigint NOT NULL,
  sequence bigint NOT NULL,
  checksum text NOT NULL,
  has_vector boolean NOT NULL,
  PRIMARY KEY(namespace_key, sequence));

-- Spaces that are not in use any more.
CREATE TABLE vector_erasure(space bigint PRIMARY KEY);
`;

/** Snapshots of agents are revisions of the log of their namespace; erased memories that they show are kept. */
const agents = `
CREATE TABLE agent_snapshot(
  namespace_key bigint NOT NULL,
  id text COLLATE "C" NOT NULL,
  project text NOT NULL,
  agent_type text NOT NULL,
  agent text COLLATE "C" NOT NULL,
  description text NOT NULL,
  created_at_us bigint NOT NULL,
  revision bigint NOT NULL,
  PRIMARY KEY(namespace_key, id));

-- Rows of erased memories with their vectors. Bodies and former states stay where they are.
CREATE TABLE erased_memory(
  LIKE memory,
  embedding_model text NOT NULL,
  erased_revision bigint NOT NULL,
  vector bytea,
  PRIMARY KEY(namespace_key, sequence));
`;

const changeLog = `
CREATE TABLE change_log(
  namespace_key bigint NOT NULL,
  revision bigint NOT NULL,
  kind smallint NOT NULL,
  id text NOT NULL,
  at_us bigint NOT NULL,
  tier_from smallint,
  tier_to smallint,
  PRIMARY KEY(namespace_key, revision));

CREATE TABLE idempotency(
  namespace text COLLATE "C" NOT NULL,
  request_id text COLLATE "C" NOT NULL,
  fingerprint text NOT NULL,
  outcome text NOT NULL,
  expires_at_us bigint NOT NULL,
  PRIMARY KEY(namespace, request_id));
CREATE INDEX idempotency_expiry ON idempotency(expires_at_us);
`;

/** Durable subscriptions. Positions are revisions of the log of the namespace, which all servers share. */
const subscriptions = `
CREATE TABLE subscription(
  key bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  namespace_key bigint NOT NULL,
  id text COLLATE "C" NOT NULL,
  consumer_ttl_ms bigint NOT NULL,
  start_revision bigint NOT NULL,
  has_webhook boolean NOT NULL,
  record text NOT NULL,
  UNIQUE(namespace_key, id));
CREATE INDEX subscription_webhook ON subscription(key) WHERE has_webhook;

CREATE TABLE subscription_cursor(
  subscription_key bigint NOT NULL REFERENCES subscription ON DELETE CASCADE,
  consumer text COLLATE "C" NOT NULL,
  revision bigint NOT NULL,
  seen_at_us bigint NOT NULL,
  PRIMARY KEY(subscription_key, consumer));
CREATE INDEX subscription_cursor_seen ON subscription_cursor(seen_at_us);

-- Changes of a work queue after its cursor: claimed by a server until an instant, or, without an owner, acknowledged.
CREATE TABLE subscription_work(
  subscription_key bigint NOT NULL REFERENCES subscription ON DELETE CASCADE,
  revision bigint NOT NULL,
  owner text,
  ends_at timestamptz NOT NULL,
  PRIMARY KEY(subscription_key, revision));

CREATE TABLE subscription_lease(
  subscription_key bigint NOT NULL REFERENCES subscription ON DELETE CASCADE,
  name text COLLATE "C" NOT NULL,
  holder text NOT NULL,
  ends_at timestamptz NOT NULL,
  PRIMARY KEY(subscription_key, name));
`;

/** The server that runs a job, and a number that rises with each taking of the lease: writes of a former holder fail. */
const jobs = `
CREATE TABLE job_lease(
  job text COLLATE "C" PRIMARY KEY,
  owner text NOT NULL,
  fence bigint NOT NULL,
  ends_at timestamptz NOT NULL);
`;

/** SQL of all tables. */
export const TABLES = [
  numbers,
  memories,
  bodies,
  reembedding,
  agents,
  changeLog,
  subscriptions,
  jobs,
  SESSION_TABLES,
].join('');
