/** Durable subscriptions. Positions are revisions of the log of the namespace, which all servers share. */
export const subscriptions = `
CREATE TABLE subscription(
  key bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  namespace_key bigint NOT NULL,
  id text COLLATE "C" NOT NULL,
  consumer_ttl_ms bigint NOT NULL,
  start_revision bigint NOT NULL,
  record text NOT NULL,
  UNIQUE(namespace_key, id));

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
