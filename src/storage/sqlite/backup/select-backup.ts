import { FolderError } from '../driver-error.ts';
import { type BackedUpLog, type BackupSummary, isBefore } from './manifest.ts';
import type { Listed } from './repository.ts';
import type { Point } from './rewind-limits.ts';

/** The state to restore: a backup by its number, a revision or a time; absent: the newest backup. */
export type RestorePoint = { readonly number: number } | Point;

export interface Selected {
  readonly manifest: BackupSummary;
  /** What is to be undone of the backup: every change after this revision or this time. */
  readonly until?: Point;
  /** The newest backup before that revision or time. */
  readonly before?: BackupSummary;
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
  if ('timeMs' in point) return atTime(history, last, point.timeMs);
  return last.logs ? atChange(history, point) : atRevision(history, last, point);
}

function manifestOf(listed: readonly Listed[], path: string, number: number): BackupSummary {
  const found = listed.find((one) => one.number === number);
  if (found?.manifest) return found.manifest;
  if (found) throw new FolderError(`backup ${number} cannot be restored: ${found.problem}`);
  const [first, last] = [listed.at(0)?.number, listed.at(-1)?.number];
  throw new FolderError(`${path} has no backup ${number}: it has ${first} to ${last}; "mneme backup list" names them`);
}

type AtRevision = { readonly revision: number; readonly namespace?: string };

function atRevision(history: readonly BackupSummary[], last: BackupSummary, point: AtRevision): Selected {
  const { revision } = point;
  if (point.namespace !== undefined) {
    throw new FolderError(`the backups are of a data folder, whose revisions are of all namespaces: --at ${revision}`);
  }
  const same = history.findLast((manifest) => manifest.revision === revision);
  if (same) return { manifest: same };
  const later = history.find((manifest) => manifest.revision >= revision);
  const before = history.findLast((manifest) => manifest.revision < revision);
  if (later) return { manifest: later, until: { revision }, before };
  throw new FolderError(
    `revision ${revision} is newer than the newest backup, which is of revision ${last.revision}: no backup has it`,
  );
}

/** The first backup that has the change: those before it are from before the change. */
function atChange(history: readonly BackupSummary[], { namespace, revision }: AtRevision): Selected {
  if (namespace === undefined) {
    throw new FolderError(
      `the backups are of PostgreSQL, whose revisions are of namespaces: name one, such as --at default@${revision}`,
    );
  }
  const until = { namespace, revision };
  const newestIn = (manifest: BackupSummary) => logIn(manifest, namespace)?.revision ?? 0;
  const at = history.findIndex((manifest) => newestIn(manifest) >= revision);
  const later = history[at];
  if (later) return { manifest: later, until, before: history[at - 1] };
  const newest = Math.max(...history.map(newestIn));
  if (newest === 0) throw new FolderError(`no backup has namespaces/${namespace}`);
  throw new FolderError(
    `revision ${revision} of namespaces/${namespace} is newer than its newest one in a backup, ${newest}: no backup has it`,
  );
}

function logIn({ logs }: BackupSummary, namespace: string): BackedUpLog | undefined {
  return logs?.namespaces.find(({ name }) => name === namespace);
}

function atTime(history: readonly BackupSummary[], last: BackupSummary, timeMs: number): Selected {
  const later = history.find((manifest) => Date.parse(manifest.time) >= timeMs);
  const before = history.findLast((manifest) => Date.parse(manifest.time) < timeMs);
  if (later) return { manifest: later, until: { timeMs }, before };
  const time = new Date(timeMs).toISOString();
  throw new FolderError(`${time} is after the newest backup, which is of ${last.time}: no backup has what came later`);
}
