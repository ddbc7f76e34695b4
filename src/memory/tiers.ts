import type { Tier } from './memory.ts';

/** From the one that new memories come to, down. Stores keep places in this order. */
export const TIERS: readonly Tier[] = ['short_term', 'intermediate', 'long_term'];
/** Those that memories are moved down from, and that Redis has where there is one. */
export const UPPER_TIERS = ['short_term', 'intermediate'] as const satisfies readonly Tier[];
