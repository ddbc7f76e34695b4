import { chmodSync, existsSync } from 'node:fs';
import { readCompactedRevision, readRevision } from '../change-log.ts';
import { hasSeenKeyspaces } from '../commands/namespaces.ts';
import { checkSchema } from '../create-tables.ts';
import { isWhole, verifyFolder } from '../damage/verify.ts';
import { databaseFileIn, openReadOnly, PAGE_BYTES, type SqliteDatabase } from '../database.ts';
import { FolderError, isDiskFull, isPageDamage } from '../driver-error.ts';
import { refuseView } from '../folder.ts';
import { SCHEMA_NUMBER } from '../tables.ts';
import { CHUNK_BYTES, hashFile, knownChunks, writePack } from './chunks.ts';
import {
  BACKUP_FORMAT,
  type BackedUpNamespace,
  type LogsOfPostgres,
  type Manifest,
  writeManifest,
} from './manifest.ts';
import { Repository } from './repository.ts';

export interface BackupOptions {
  /** Data folder, or the name of another source; servers may use it meanwhile. */
  readonly folder: string;
  /**
   * Writes the database of another source than a data folder into a file that does not exist, in one state of the source;
   * resolves to what that state is.
   */
  readonly copy?: (file: string) => Promise<CopiedState>;
  /** Folder of the backups; created if needed. */
  readonly repository: string;
  /** Number of newest backups that stay; absent: all. */
  readonly keep?: number;
  readonly version: string;
  readonly nowMs: () => number;
  readonly onProgress?: (copiedBytes: number, totalBytes: number) => void;
  /** Called before each step, whose name it gets; a test ends the process there. */
  readonly onStep?: (step: string) => void;
}

/** One state of PostgreSQL. */
export interface CopiedState {
  readonly atMs: number;
  readonly logs: LogsOfPostgres;
  /** Whether sessions are in Redis, and so not in the copy. */
  readonly sessionsAreInRedis: boolean;
}

export interface BackupDone {
  readonly manifest: Manifest;
  /** Numbers of the backups that were removed. */
  readonly removed: readonly number[];
}

/** Pages that are copied at a stretch: 4 MiB. */
const STEP_PAGES = 1024;
const NO_SPACE: ReadonlySet<string | undefined> = new Set(['ENOSPC', 'EDQUOT']);

/**
 * Copies the database of a data folder as it is at one instant, verifies the copy, and adds the chunks that no earlier
 * backup has to the repository. Writers are not blocked: the copy is read from one snapshot of SQLite. The process may
 * be killed at any moment: until the manifest has its name there is no such backup, and the next run removes what is
 * left. Fails with FolderError, and changes no earlier backup, where the folder is damaged or a disk is full.
 */
export async function makeBackup(options: BackupOptions): Promise<BackupDone> {
  const { folder, repository: path, copy } = options;
  if (!copy) {
    refuseView(folder, 'set MNEME_POSTGRES_URL to back up PostgreSQL');
    if (!existsSync(databaseFileIn(folder))) throw new FolderError(`data folder ${folder} has no mneme.db`);
  }
  try {
    const repository = Repository.create(path);
    const release = repository.lock();
    try {
      return await addBackup(repository, options);
    } finally {
      repository.removeWork();
      release();
    }
  } catch (cause) {
    throw inWords(cause, options);
  }
}

async function addBackup(repository: Repository, options: BackupOptions): Promise<BackupDone> {
  const { folder, keep, version, onStep = () => {} } = options;
  onStep('begin');
  const listed = repository.list();
  repository.removeUnused(listed);
  const work = repository.emptyWork();
  const file = databaseFileIn(work);
  const copied = await options.copy?.(file);
  const atMs = copied ? copied.atMs : await copyDatabase(folder, file, options);
  onStep('copied');
  checkWhole(work, folder);
  const described = describe(work);
  onStep('verified');
  const hashed = hashFile(file);
  const earlier = listed.flatMap(({ number, manifest }) => (manifest ? number : []));
  const known = knownChunks(repository, earlier, hashed.chunks);
  const number = (listed.at(-1)?.number ?? 0) + 1;
  const { chunks, packBytes } = writePack(repository, number, { file, hashed, known });
  repository.sync();
  onStep('packed');
  const { bytes, sha256 } = hashed;
  const manifest: Manifest = {
    format: BACKUP_FORMAT,
    number,
    time: new Date(atMs).toISOString(),
    version,
    ...described,
    ...(copied && { logs: copied.logs, namespaces: inLogs(described.namespaces, copied.logs) }),
    sessionsAreInRedis: copied ? copied.sessionsAreInRedis : described.sessionsAreInRedis,
    bytes,
    sha256,
    chunkBytes: CHUNK_BYTES,
    chunks,
    packBytes,
  };
  writeManifest(repository.manifestFile(number), manifest);
  repository.sync();
  onStep('written');
  const removed = keep === undefined ? [] : removeOld(repository, keep, onStep);
  return { manifest, removed };
}

/** Returns the time of the snapshot that is copied. */
async function copyDatabase(folder: string, file: string, { nowMs, onProgress }: BackupOptions): Promise<number> {
  const source = openReadOnly(folder);
  try {
    // The first read of the transaction takes the snapshot; without one, each commit would begin the copy anew.
    source.exec('BEGIN');
    checkSchema(source, `data folder ${folder}`, 'back it up with the version that wrote it');
    const atMs = nowMs();
    await source.backup(file, {
      progress: ({ totalPages, remainingPages }) => {
        onProgress?.((totalPages - remainingPages) * PAGE_BYTES, totalPages * PAGE_BYTES);
        return STEP_PAGES;
      },
    });
    source.exec('COMMIT');
    chmodSync(file, 0o600);
    return atMs;
  } finally {
    source.close();
  }
}

function checkWhole(work: string, folder: string): void {
  const verified = verifyFolder(work);
  if (isWhole(verified)) return;
  const { tables, sessions, memories } = verified;
  const found = `${tables.length} tables, ${sessions.length} sessions and ${memories.length} memories`;
  throw new FolderError(
    `data folder ${folder} is damaged (${found}), so no backup was made: "mneme verify" lists the damage, "mneme repair" removes it`,
  );
}

type Described = Pick<
  Manifest,
  'schema' | 'revision' | 'compactedRevision' | 'terms' | 'namespaces' | 'memoryCount' | 'sessionsAreInRedis'
>;

function describe(work: string): Described {
  const database = openReadOnly(work);
  try {
    const namespaces = namespacesOf(database);
    return {
      schema: SCHEMA_NUMBER,
      revision: readRevision(database),
      compactedRevision: readCompactedRevision(database),
      terms: database.prepare<[], [number, string]>('SELECT start_revision, id FROM log_term ORDER BY 1').raw().all(),
      namespaces,
      memoryCount: namespaces.reduce((sum, { memoryCount }) => sum + memoryCount, 0),
      sessionsAreInRedis: hasSeenKeyspaces(database),
    };
  } finally {
    database.close();
  }
}

function namespacesOf(database: SqliteDatabase): BackedUpNamespace[] {
  const rows = database.prepare<[], BackedUpNamespace>(
    `SELECT name, max(n.revision, ifnull(newest.revision, 0)) AS revision,
       (SELECT count(*) FROM memory WHERE namespace_key = n.key) AS memoryCount
     FROM namespace n LEFT JOIN (SELECT namespace_key, max(revision) AS revision FROM change_log GROUP BY 1) newest
       ON newest.namespace_key = n.key
     ORDER BY name`,
  );
  return rows.all();
}

/** With the revisions that callers see in PostgreSQL. */
function inLogs(namespaces: readonly BackedUpNamespace[], logs: LogsOfPostgres): BackedUpNamespace[] {
  const offsets = new Map(logs.namespaces.map(({ name, offset }) => [name, offset]));
  return namespaces.map((each) => ({ ...each, revision: each.revision - (offsets.get(each.name) ?? 0) }));
}

/**
 * The newest readable backups stay. Older ones, readable or not, are removed, and the chunks that no other backup needs:
 * a manifest that cannot be read would keep all packs for ever.
 */
function removeOld(repository: Repository, keep: number, onStep: (step: string) => void): number[] {
  const listed = repository.list();
  const oldest = listed.filter(({ manifest }) => manifest).at(-keep)?.number ?? 0;
  const removed = listed.filter(({ number }) => number < oldest);
  for (const { number } of removed) repository.removeBackup(number);
  repository.sync();
  onStep('forgotten');
  repository.removeUnused(listed.filter(({ number }) => number >= oldest));
  repository.sync();
  return removed.map(({ number }) => number);
}

function inWords(cause: unknown, { folder, repository }: BackupOptions): unknown {
  if (isDiskFull(cause) || NO_SPACE.has((cause as NodeJS.ErrnoException).code)) {
    const message = `the disk of ${repository} is full: no backup was made, earlier ones are unchanged; free space, or keep fewer with --keep`;
    return new FolderError(message, { cause });
  }
  if (!isPageDamage(cause)) return cause;
  return new FolderError(`data folder ${folder} is damaged, so no backup was made: run "mneme verify"`, { cause });
}
