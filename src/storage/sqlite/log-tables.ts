import type { ColumnType } from '#kysely';

export interface ChangeLogTable {
  revision: number;
  /**
   * 1 stored, 2 updated, 3 deleted, 4 expired, 5 embedded, 6 touched, 7 namespace created, 8 updated, 9 deleted,
   * 10 its vectors replaced by those of another space. Of a memory: 11 moved to another tier, 12 moved, and recall
   * ranks on another text there, 13 on another vector alone; 12 and 13 also where it stays in its tier.
   */
  kind: number;
  namespace_key: number;
  /** 0 for changes of a namespace. */
  pk: number;
  id: string;
  at_us: number;
  /** For `updated`: the state before, as JSON of `FormerState` in `former-state.ts`. Erased with the memory. */
  former: ColumnType<string | null, string | null, string | null>;
  /** Revision of the entry in the log of another store that it is a copy of; 0 where it was made here. */
  origin: number;
  /** Of a move of which they are known: the tiers before and after. */
  tier_from: number | null;
  tier_to: number | null;
}

/** What each opening of the folder has written; see `log-terms.ts`. */
export interface LogTermTable {
  /** Newest revision before the term. */
  start_revision: number;
  id: string;
}
