/**
 * The terms of the change log: which opening of the folder wrote which revisions. What was there before is one term of this
 * copy of the folder.
 */
export const logTerms = `
CREATE TABLE log_term(
  -- The newest revision before the term; what comes behind it, up to the next term, is of it.
  start_revision INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE) STRICT;
INSERT INTO log_term VALUES(0, lower(hex(randomblob(8))));
`;
