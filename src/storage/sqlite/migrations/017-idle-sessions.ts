/** How long a session may be idle, and since when it is; the index is what the job that ends idle sessions looks through. */
export const idleSessions = `
ALTER TABLE session ADD COLUMN idle_ttl_us INTEGER NOT NULL DEFAULT 0;
ALTER TABLE session ADD COLUMN idle_at_us INTEGER;
CREATE INDEX session_idle ON session(idle_at_us) WHERE idle_at_us IS NOT NULL;
`;
