/**
 * Kept outcomes one behind the other, which is the order in which their time is over, with a narrow index beside them: by
 * request id, which is random, each wide record was written in the middle of another page.
 */
export const outcomes = `
ALTER TABLE idempotency RENAME TO former_idempotency;
CREATE TABLE idempotency(
  key INTEGER PRIMARY KEY,
  namespace TEXT NOT NULL,
  request_id TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  outcome TEXT NOT NULL,
  expires_at_us INTEGER NOT NULL) STRICT;
INSERT INTO idempotency(namespace, request_id, fingerprint, outcome, expires_at_us)
  SELECT namespace, request_id, fingerprint, outcome, expires_at_us FROM former_idempotency ORDER BY expires_at_us;
DROP TABLE former_idempotency;
CREATE INDEX idempotency_request ON idempotency(request_id, namespace);
`;
