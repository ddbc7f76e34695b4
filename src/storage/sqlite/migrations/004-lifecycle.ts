/** What happens to sessions: the events that consumers follow, and how far each of them is. */
export const lifecycle = `
CREATE TABLE lifecycle_event(
  sequence INTEGER PRIMARY KEY AUTOINCREMENT,
  namespace TEXT NOT NULL,
  at_us INTEGER NOT NULL,
  body TEXT NOT NULL) STRICT;
-- Following the events of one namespace.
CREATE INDEX lifecycle_event_namespace ON lifecycle_event(namespace, sequence);
-- Erasing what is kept no longer.
CREATE INDEX lifecycle_event_age ON lifecycle_event(at_us, sequence);

-- Newest event that a namespace had, and the newest of those that are kept no longer.
CREATE TABLE lifecycle_ends(
  namespace TEXT PRIMARY KEY, newest INTEGER NOT NULL, forgotten INTEGER NOT NULL) STRICT, WITHOUT ROWID;

CREATE TABLE lifecycle_consumer(
  namespace TEXT NOT NULL,
  consumer TEXT NOT NULL,
  sequence INTEGER NOT NULL,
  updated_at_us INTEGER NOT NULL,
  PRIMARY KEY(namespace, consumer)) STRICT, WITHOUT ROWID;

-- What is allowed with the memories of a scope and of everything beneath it.
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

-- What an agent remembered at a revision. Former states are in the change log until their memory is erased.
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

-- Memories that were erased since, as they were at the snapshot: JSON of FormerState in former-state.ts.
CREATE TABLE agent_snapshot_memory(
  namespace_key INTEGER NOT NULL,
  snapshot TEXT NOT NULL,
  id TEXT NOT NULL,
  state TEXT NOT NULL,
  PRIMARY KEY(namespace_key, snapshot, id)) STRICT, WITHOUT ROWID;
`;
