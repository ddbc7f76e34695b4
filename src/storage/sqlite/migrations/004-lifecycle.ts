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
`;
