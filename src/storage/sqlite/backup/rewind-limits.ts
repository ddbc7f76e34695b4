import type { AgentState } from '../../rules/agent-states.ts';
import { stateAt } from '../agents/snapshot-rows.ts';
import { readCompactedRevision, readRevision } from '../change-log.ts';
import type { SqliteDatabase } from '../database.ts';
import { FolderError } from '../driver-error.ts';

/** A state between two backups; a revision with a namespace is of its log in PostgreSQL. */
export type Point =
  | { readonly revision: number }
  | { readonly timeMs: number }
  | { readonly namespace: string; readonly revision: number };

/** An entry of the change log. */
export interface LogChange {
  readonly revision: number;
  readonly kind: number;
  readonly namespace_key: number;
  readonly at_us: number;
}

/** Which changes stay; all others are undone. */
export interface Limits {
  isKept(change: LogChange): boolean;
  /** The memory as the changes that stay have left it; `undefined` where that state was not kept. */
  stateOf(pk: number, present: AgentState): AgentState | undefined;
  /** All changes up to this revision stay. */
  readonly least: number;
  /** Keys of namespaces that are known to have come later; others are found in the log. */
  readonly created: readonly number[];
  readonly reached: { readonly revision?: number; readonly time?: string };
}

const US_PER_MS = 1000;

export function refused(reason: string): FolderError {
  return new FolderError(`this state cannot be restored: ${reason}`);
}

/** A data folder has one log: all namespaces have the same limit. Fails with FolderError where the log begins later. */
export function limitOfFolder(database: SqliteDatabase, point: Point): Limits {
  const revision = 'timeMs' in point ? revisionAt(database, point.timeMs) : point.revision;
  checkStart(database, revision);
  return {
    isKept: (change) => change.revision <= revision,
    stateOf: (pk, present) => stateAt(database, pk, present, revision),
    least: revision,
    created: [],
    reached: { revision },
  };
}

/** Fails where entries after the revision are removed from the change log. */
export function checkStart(database: SqliteDatabase, revision: number): void {
  const compacted = readCompactedRevision(database);
  if (revision < compacted) throw refused(`the change log begins behind revision ${compacted}`);
}

/** The last revision before the first change after the time; the newest one where none is later. */
export function revisionAt(database: SqliteDatabase, timeMs: number): number {
  const first = database
    .prepare<[number], number | null>('SELECT min(revision) FROM change_log WHERE at_us > ?')
    .pluck()
    .get(timeMs * US_PER_MS);
  const revision = first ? first - 1 : readRevision(database);
  const compacted = readCompactedRevision(database);
  if (compacted === 0 || revision > compacted) return revision;
  throw refused(`the change log begins behind revision ${compacted}, after that time`);
}
