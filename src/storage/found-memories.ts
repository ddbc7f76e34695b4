import type { Memory } from '../memory/memory.ts';

export interface Found {
  /** In the view of metadata also what is known of those that are damaged: they are there. */
  readonly memories: ReadonlyMap<string, Memory>;
  /** Those of the ids whose memories cannot be read as they were stored. */
  readonly damagedIds: readonly string[];
  /** Those of them of whose own bytes not even the fields can be read. */
  readonly lostIds: readonly string[];
  readonly revision: number;
  readonly isThere: boolean;
}
