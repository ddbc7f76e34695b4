import { FolderError } from '../driver-error.ts';
import { type BackupSummary, isBefore } from './manifest.ts';
import type { Listed } from './repository.ts';

/** The state to restore: a backup by its number, a revision or a time; absent: the newest backup. */
export type RestorePoint = { readonly number: number } | { readonly revision: number } | { readonly timeMs: number };

export interface Selected {
  readonly manifest: BackupSummary;
  /** What is to be undone of the backup: every change after this revision or this time. */
  readonly until?: { readonly revision: number } | { readonly timeMs: number };
  /** The newest backup before that revision or time. */
  readonly before?: BackupSummary | undefined;
}

/**
 * A revision or a time between two backups is reached from the later one, whose change log leads back to it. Only
 * backups of the history of the newest one count: after a restore revisions are used once more.
 */
export function selectBackup(listed: readonly Listed[], path: string, point?: RestorePoint): Selected {
  const newest = listed.at(-1);
  if (!newest) throw new FolderError(`${path} has no backup`);
  if (point && 'number' in point) return { manifest: manifestOf(listed, path, point.number) };
  if (!point) return { manifest: manifestOf(listed, path, newest.number) };
  const usable = listed.flatMap(({ manifest }) => manifest ?? []);
  const last = usable.at(-1);
  if (!last) throw new FolderError(`${path} has no readable backup: "mneme backup verify" lists the damage`);
  const history = usable.filter((manifest) => isBefore(manifest, last));
  return 'revision' in point ? atRevision(history, last, point.revision) : atTime(history, last, point.timeMs);
}

function manifestOf(listed: readonly Listed[], path: string, number: number): BackupSummary {
  const found = listed.find((one) => one.number === number);
  if (found?.manifest) return found.manifest;
  if (found) throw new FolderError(`backup ${number} cannot be restored: ${found.problem}`);
  const [first, last] = [listed.at(0)?.number, listed.at(-1)?.number];
  throw new FolderError(`${path} has no backup ${number}: it has ${first} to ${last}; "mneme backup list" names them`);
}

function atRevision(history: readonly BackupSummary[], last: BackupSummary, revision: number): Selected {
  const same = history.findLast((manifest) => manifest.revision === revision);
  if (same) return { manifest: same };
  const later = history.find((manifest) => manifest.revision > revision);
  const before = history.findLast((manifest) => manifest.revision < revision);
  if (later) return { manifest: later, until: { revision }, before };
  throw new FolderError(
    `revision ${revision} is newer than the newest backup, which is of revision ${last.revision}: no backup has it`,
  );
}

function atTime(history: readonly BackupSummary[], last: BackupSummary, timeMs: number): Selected {
  const later = history.find((manifest) => Date.parse(manifest.time) >= timeMs);
  const before = history.findLast((manifest) => Date.parse(manifest.time) < timeMs);
  if (later) return { manifest: later, until: { timeMs }, before };
  const time = new Date(timeMs).toISOString();
  throw new FolderError(`${time} is after the newest backup, which is of ${last.time}: no backup has what came later`);
}
