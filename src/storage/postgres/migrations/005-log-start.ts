/** Entries of the log of a namespace up to this revision are deleted. */
export const logStart = 'ALTER TABLE namespace ADD COLUMN log_start bigint NOT NULL DEFAULT 0';
