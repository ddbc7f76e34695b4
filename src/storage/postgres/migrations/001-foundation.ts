/**
 * Memories by id, with their bodies, vectors and former states apart, so that a retrieval or a move rewrites no text.
 * There is no index for searching: lists, counts and recall are answered by a view that follows the change log.
 */
export const foundation = `
CREATE TABLE namespace(
  key bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name text COLLATE "C" NOT NULL UNIQUE,
  description text NOT NULL,
  memory_limit bigint NOT NULL,
  embedding_model text NOT NULL,
  embedding_dimension integer NOT NULL,
  settings text NOT NULL,
  policies text NOT NULL DEFAULT '[]',
  created_at_us bigint NOT NULL,
  updated_at_us bigint NOT NULL,
  revision bigint NOT NULL,
  log_revision bigint NOT NULL,
  next_sequence bigint NOT NULL,
  memory_count bigint NOT NULL,
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
  PRIMARY KEY(namespace_key, id)) WITH (fillfactor = 80);
-- Copies of a whole namespace, in order.
CREATE UNIQUE INDEX memory_sequence ON memory(namespace_key, sequence);
-- Work lists.
CREATE INDEX memory_expiry ON memory(expires_at_us) WHERE expires_at_us IS NOT NULL;
CREATE INDEX memory_pending ON memory(not_before_us, namespace_key, sequence) WHERE embedding_state = 1;

CREATE TABLE memory_body(
  namespace_key bigint NOT NULL,
  sequence bigint NOT NULL,
  text text NOT NULL,
  media_type text,
  content bytea,
  PRIMARY KEY(namespace_key, sequence));

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
