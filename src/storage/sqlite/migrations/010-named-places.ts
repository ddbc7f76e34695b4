/**
 * Memories by the names of their places, which filters ask for and nearness is measured by. Most memories have none and
 * are not in the indexes.
 */
export const namedPlaces = `
CREATE INDEX memory_location ON memory(namespace_key, location) WHERE location <> '';
CREATE INDEX memory_room ON memory(namespace_key, room) WHERE room <> '';
CREATE INDEX memory_region ON memory(namespace_key, region) WHERE region <> '';
-- Chosen, not counted: see 003-planner.ts.
INSERT INTO sqlite_stat1(tbl, idx, stat) VALUES
  ('memory', 'memory_location', '1000000 100000 1000'),
  ('memory', 'memory_room', '1000000 100000 1000'),
  ('memory', 'memory_region', '1000000 100000 10000');
`;
