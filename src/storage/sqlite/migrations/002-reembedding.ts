/**
 * Two spaces of vectors for each namespace: a vector of a memory lies in `memory_vector` under the memory's row key times
 * the sign of its space. `namespace.vector_sign` tells which space is in use.
 */
export const reembedding = `
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
