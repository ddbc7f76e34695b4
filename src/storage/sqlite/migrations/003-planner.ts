/**
 * What the planner takes the tables for: many memories, of which a value, a tag or a session leads to few. Without it a
 * namespace looks as small as a tag, and conditions on tags and values are tried on all of its memories. The numbers are
 * chosen, not counted, so that plans stay the same whatever a store holds.
 */
export const planner = `
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
