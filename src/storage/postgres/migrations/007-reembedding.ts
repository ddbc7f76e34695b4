/**
 * Vectors of a namespace lie in the space of its key, or in that of the negative key: those that are recomputed are made
 * in the other space, and come into use when the sign of the namespace changes. memory_vector.namespace_key is the space.
 */
export const reembedding = `
ALTER TABLE namespace ADD COLUMN vector_sign smallint NOT NULL DEFAULT 1;

ALTER TABLE erased_memory ADD COLUMN vector bytea;
UPDATE erased_memory e SET vector = v.data FROM memory_vector v
  WHERE v.namespace_key = e.namespace_key AND v.sequence = e.sequence;
DELETE FROM memory_vector v USING erased_memory e
  WHERE v.namespace_key = e.namespace_key AND v.sequence = e.sequence;

CREATE TABLE reembedding(
  namespace_key bigint PRIMARY KEY,
  model text NOT NULL,
  dimension integer NOT NULL,
  cursor bigint NOT NULL,
  done_count bigint NOT NULL,
  total_count bigint NOT NULL,
  started_at_us bigint NOT NULL);

-- Texts with a new vector, or that have none; an empty checksum: the text has changed meanwhile.
CREATE TABLE reembedded(
  namespace_key bigint NOT NULL,
  sequence bigint NOT NULL,
  checksum text NOT NULL,
  has_vector boolean NOT NULL,
  PRIMARY KEY(namespace_key, sequence));

-- Spaces that are not in use any more.
CREATE TABLE vector_erasure(space bigint PRIMARY KEY);
`;
