import { compare } from '../../storage/migration/compare.ts';
import { copyRecords, countRecords } from '../../storage/migration/copy-records.ts';
import { createFile, finishFile } from '../../storage/migration/folder-place.ts';
import { logsOf, type Offsets, offsetsOf } from '../../storage/migration/offsets.ts';
import { MigrationError } from '../../storage/migration/portable.ts';
import { snapshotOfRecords } from '../../storage/migration/postgres-place.ts';
import { PostgresSource } from '../../storage/migration/postgres-source.ts';
import { SqliteTarget } from '../../storage/migration/sqlite-target.ts';
import type { PostgresDatabase, Session } from '../../storage/postgres/database.ts';
import { type BackupDone, type BackupOptions, makeBackup } from '../../storage/sqlite/backup/make-backup.ts';
import { type RedisOfCommand, withBodies } from './bodies-of-command.ts';
import { migrationDatabase, migrationFailure, type PostgresOfMigration, placeOf } from './migrate-store.ts';

export interface PostgresBackupOptions extends Pick<BackupOptions, 'repository' | 'keep' | 'version' | 'nowMs'> {
  readonly config: PostgresOfMigration & RedisOfCommand;
  /** A name for the writes of this run, unlike all others. */
  readonly term: string;
  readonly onProgress?: (done: number, total: number) => void;
}

export interface PostgresBackup extends BackupDone {
  /** Address and schema, without user and password. */
  readonly folder: string;
}

/**
 * Backs up all records in PostgreSQL while servers use them, as the database of a data folder: from one snapshot, which
 * no write waits for, and compared with it by checksums.
 */
export async function backUpPostgres(options: PostgresBackupOptions): Promise<PostgresBackup> {
  const { config, repository, keep, version, nowMs } = options;
  const folder = placeOf(config);
  const database = migrationDatabase(config);
  const copy = (file: string) =>
    snapshotOfRecords(database, async (session, { sessionsAreInRedis }) => {
      const atMs = nowMs();
      const offsets = await offsetsOf(session);
      await withBodies(config, database, session, () => copyInto(file, { session, offsets }, options));
      return { atMs, sessionsAreInRedis, logs: await logsOf(session, offsets) };
    });
  try {
    const done = await makeBackup({ folder, repository, keep, version, nowMs, copy });
    return { ...done, folder };
  } catch (error) {
    throw migrationFailure(error, { ...config, data: repository }, 'postgres');
  } finally {
    await database.close();
  }
}

async function copyInto(
  file: string,
  { session, offsets }: { readonly session: Session; readonly offsets: Offsets },
  { term, onProgress, config }: PostgresBackupOptions,
): Promise<void> {
  const read: PostgresDatabase['read'] = (work) => work(session);
  const source = new PostgresSource({ read, identity: '', offsets });
  const target = createFile(file, '');
  try {
    // Copied, then read twice.
    const total = 3 * (await countRecords(source));
    let done = 0;
    const onRecords = (count: number) => {
      done += count;
      onProgress?.(Math.min(done, total), total);
    };
    const filled = new SqliteTarget(target, term);
    await copyRecords({ source, target: filled, onRecords });
    const differing = (await compare(source, filled.readBack(), onRecords)).filter(({ isEqual }) => !isEqual);
    const [first] = differing;
    if (first) {
      throw new MigrationError(
        `the copy of ${placeOf(config)} differs in ${differing.length} checksums, such as that of ${first.kind} in namespaces/${first.namespace}: no backup was made`,
      );
    }
    finishFile(target, file);
  } finally {
    if (target.open) target.close();
  }
}
