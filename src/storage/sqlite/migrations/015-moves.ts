/**
 * What moves have made of the tier, which no state of the memory tells: null in entries from before, and of other kinds; and whether a
 * subscription tells all moves.
 */
export const moves = `
ALTER TABLE change_log ADD COLUMN tier_from INTEGER;
ALTER TABLE change_log ADD COLUMN tier_to INTEGER;
ALTER TABLE subscription ADD COLUMN include_moved INTEGER NOT NULL DEFAULT 0;
`;
