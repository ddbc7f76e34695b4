/** Durable subscriptions with their cursors, and how far the change log has been forgotten. */
export const streams = `
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
