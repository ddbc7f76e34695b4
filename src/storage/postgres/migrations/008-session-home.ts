/**
 * The mark of the Redis that has the sessions of these servers; without a row, PostgreSQL has them. And the epochs of
 * the keyspaces of sessions that servers have seen in Redis.
 */
export const sessionHome = `
CREATE TABLE session_home(
  is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
  mark text NOT NULL);

CREATE TABLE session_keyspace(
  namespace text COLLATE "C" PRIMARY KEY,
  epoch text NOT NULL);
`;
