/** Snapshots of agents are revisions of the log of their namespace; erased memories that they show are kept. */
export const agentSnapshots = `
ALTER TABLE namespace ADD COLUMN snapshot_count integer NOT NULL DEFAULT 0;

ALTER TABLE memory ADD COLUMN agent text COLLATE "C" NOT NULL DEFAULT '';
UPDATE memory SET agent = coalesce(fields::json->'scope'->>'agent', '');
CREATE INDEX memory_agent ON memory(namespace_key, agent) WHERE agent <> '';

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

-- Rows of erased memories, whose bodies, vectors and former states stay where they are.
CREATE TABLE erased_memory(
  LIKE memory,
  embedding_model text NOT NULL,
  erased_revision bigint NOT NULL,
  PRIMARY KEY(namespace_key, sequence));
`;
