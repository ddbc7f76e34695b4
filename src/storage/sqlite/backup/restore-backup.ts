import { createHash } from 'node:crypto';
import { closeSync, existsSync, fsyncSync, openSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { checkNumber } from '../create-tables.ts';
import { databaseFileIn } from '../database.ts';
import { RESERVE_FILE } from '../disk-reserve.ts';
import { FolderError, isDiskFull, isPageDamage } from '../driver-error.ts';
import { createFolder, lockFolder, MIGRATED_FILE, refuseFilled, refuseView } from '../folder.ts';
import { LOCK_FILE } from '../linked-files.ts';
import { emptyLog, keepFile, keptFileIn, removeDatabase, replaceDatabase } from '../replace-database.ts';
import { ChunkReader, writeWhole } from './chunks.ts';
import type { BackupSummary } from './manifest.ts';
import { Repository } from './repository.ts';
import { type Rewound, rewind } from './rewind.ts';
import { type RestorePoint, type Selected, selectBackup } from './select-backup.ts';

export interface RestoreOptions {
  readonly repository: string;
  /** Data folder to restore into; created if needed. */
  readonly folder: string;
  readonly point?: RestorePoint;
  /** Whether a folder that is not empty may be restored into; its database is kept under another name. */
  readonly force?: boolean;
  readonly nowMs: number;
  /** Name of the writes that undo changes, in the change log; unlike all others. */
  readonly term: string;
  readonly onProgress?: (writtenBytes: number, totalBytes: number) => void;
  /** Called before each step, whose name it gets; a test ends the process there. */
  readonly onStep?: (step: string) => void;
}

export interface Restored {
  readonly manifest: BackupSummary;
  /** What was undone of the backup to reach a revision or a time before it. */
  readonly rewound?: Rewound;
  /** The former database, which is kept; empty where there was none. */
  readonly keptFile: string;
}

const UNFINISHED = '.restoring';
/** Beginnings of the names of files that a restore which was refused or killed may leave. */
const LEFT = [`mneme.db${UNFINISHED}`, LOCK_FILE, RESERVE_FILE];
const NO_SPACE: ReadonlySet<string | undefined> = new Set(['ENOSPC', 'EDQUOT']);

/**
 * Writes the database of a backup beside the place of the database, compares it with its checksums, and gives it its
 * name by one rename. Killed at any moment, the folder is as it was or restored; what an earlier run has left is
 * removed. Fails with FolderError, and leaves the folder as it was, where the backup is damaged.
 */
export function restoreBackup(options: RestoreOptions): Restored {
  const { folder, nowMs, onStep = () => {} } = options;
  refuseView(folder, 'restore PostgreSQL (docs/backup.md)');
  const repository = Repository.open(options.repository);
  const selected = selectBackup(repository.list(), repository.path, options.point);
  const { manifest } = selected;
  checkNumber(manifest.schema, `backup ${manifest.number} (mneme ${manifest.version})`, 'restore it with that version');
  createFolder(folder);
  checkEmpty(options);
  const release = lockFolder(folder);
  const unfinished = databaseFileIn(folder) + UNFINISHED;
  try {
    onStep('begin');
    removeDatabase(unfinished);
    writeDatabase(repository, manifest.number, unfinished, options);
    onStep('written');
    const rewound = rewindTo(selected, unfinished, options);
    onStep('rewound');
    const keptFile = keepFormer(folder, nowMs);
    onStep('kept');
    replaceDatabase(folder, unfinished);
    // The restored memories are those of the folder, wherever others were moved.
    rmSync(join(folder, MIGRATED_FILE), { force: true });
    onStep('renamed');
    return { manifest, rewound, keptFile };
  } catch (cause) {
    removeDatabase(unfinished);
    if (!isDiskFull(cause) && !NO_SPACE.has((cause as NodeJS.ErrnoException).code)) throw cause;
    throw new FolderError(`the disk of ${folder} is full: nothing was restored; free space there`, { cause });
  } finally {
    release();
  }
}

function rewindTo({ manifest, until, before }: Selected, file: string, options: RestoreOptions): Rewound | undefined {
  if (!until) return undefined;
  const { nowMs, term } = options;
  try {
    const logs = manifest.logs && { own: manifest.logs, before: before?.logs };
    return rewind(file, { until, logs, nowMs, term });
  } catch (cause) {
    if (!(cause instanceof FolderError)) throw cause;
    const stateOf = ({ logs, time, revision }: BackupSummary) => (logs ? time : `revision ${revision}`);
    const earlier = before ? `, or --backup ${before.number} of ${stateOf(before)} before it` : '';
    const whole = `restore --backup ${manifest.number} of ${stateOf(manifest)} as a whole`;
    throw new FolderError(`${cause.message}; ${whole}${earlier}`, { cause });
  }
}

/** What a restore that was killed has left does not count. */
function checkEmpty({ folder, force = false }: RestoreOptions): void {
  if (force) return;
  refuseFilled(
    folder,
    LEFT,
    'name another one with --data, or replace its database with --force, which keeps the former one',
  );
}

function writeDatabase(repository: Repository, number: number, file: string, { onProgress }: RestoreOptions): void {
  const manifest = repository.read(number);
  const reader = new ChunkReader(repository);
  const handle = openSync(file, 'wx', 0o600);
  const whole = createHash('sha256');
  let bytes = 0;
  try {
    for (const place of manifest.chunks) {
      const chunk = reader.read(place);
      whole.update(chunk);
      writeWhole(handle, chunk);
      bytes += chunk.byteLength;
      onProgress?.(bytes, manifest.bytes);
    }
    fsyncSync(handle);
  } finally {
    closeSync(handle);
    reader.close();
  }
  if (bytes === manifest.bytes && whole.digest('hex') === manifest.sha256) return;
  throw new FolderError(`backup ${number} is damaged: its chunks do not make the database that was backed up`);
}

/**
 * Returns the name of the kept database; '' where there was none. Logs that SQLite would apply to the restored database
 * are kept aside too: one of a damaged database cannot be emptied, one of a lost database is all that is left of it.
 */
function keepFormer(folder: string, nowMs: number): string {
  const file = databaseFileIn(folder);
  const keptFile = keptFileIn(folder, 'before-restore', nowMs);
  const isThere = existsSync(file);
  if (isThere) {
    try {
      emptyLog(file);
    } catch (error) {
      if (!isPageDamage(error)) throw error;
    }
    keepFile(file, keptFile);
  }
  for (const part of ['-wal', '-shm', '-journal']) {
    if (!existsSync(`${file}${part}`)) continue;
    keepFile(`${file}${part}`, `${keptFile}${part}`);
    rmSync(`${file}${part}`);
  }
  return isThere ? keptFile : '';
}
