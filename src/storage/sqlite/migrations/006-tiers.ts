/**
 * Tiers. `memory_body.packed` holds text and content of a memory whose tier keeps only an abstract at hand, which is in
 * `text` then; `memory_vector.small` is the vector as the tier ranks by it, and `data` then what that lacks of the vector
 * as it was given.
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

-- What is in the tiers: kept with every write, so that nobody has to count.
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
-- How far the change log of a room in Redis has been followed, and which room that was.
CREATE TABLE mirror(
  namespace_key INTEGER PRIMARY KEY, epoch TEXT NOT NULL, position TEXT NOT NULL) STRICT;
`;
