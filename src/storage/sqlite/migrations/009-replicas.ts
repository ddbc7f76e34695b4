/** What servers that share a Redis need to find in their own logs what another server has told of. */
export const replicas = `
-- Which log revisions are of.
INSERT INTO meta SELECT 'log_id', random() & 9007199254740991;
ALTER TABLE change_log ADD COLUMN origin INTEGER NOT NULL DEFAULT 0;
CREATE INDEX change_log_origin ON change_log(namespace_key, origin) WHERE origin > 0;
ALTER TABLE mirror ADD COLUMN complete_from INTEGER NOT NULL DEFAULT 0;
`;
