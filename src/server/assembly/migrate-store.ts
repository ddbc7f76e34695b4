import { resolve } from 'node:path';
import { isDamage, MnemeError } from '../../memory/errors.ts';
import { type Compared, compare } from '../../storage/migration/compare.ts';
import { copyRecords, countRecords } from '../../storage/migration/copy-records.ts';
import { markFolderMoved, openSourceFolder, openTargetFolder } from '../../storage/migration/folder-place.ts';
import { offsetsFromJson, offsetsOf, offsetsToJson } from '../../storage/migration/offsets.ts';
import {
  type Kind,
  MigrationError,
  type MigrationSource,
  type MigrationTarget,
} from '../../storage/migration/portable.ts';
import {
  beginFilling,
  endFilling,
  markMoved,
  nameOfRecords,
  withoutServers,
} from '../../storage/migration/postgres-place.ts';
import { PostgresSource } from '../../storage/migration/postgres-source.ts';
import { PostgresTarget } from '../../storage/migration/postgres-target.ts';
import { SqliteSource } from '../../storage/migration/sqlite-source.ts';
import { SqliteTarget } from '../../storage/migration/sqlite-target.ts';
import { addressOf } from '../../storage/postgres/connection-url.ts';
import { PostgresDatabase } from '../../storage/postgres/database.ts';
import { hasSeenKeyspaces } from '../../storage/sqlite/commands/namespaces.ts';
import { isDiskFull, isFileUnavailable, isPageDamage, sqliteCode } from '../../storage/sqlite/driver-error.ts';
import type { Config } from '../config/config.ts';
import { postgresFailure } from './check-postgres.ts';

export type PostgresOfMigration = Pick<
  Config,
  'data' | 'postgresUrl' | 'postgresSchema' | 'postgresTlsCa' | 'postgresConnectTimeoutMs'
>;

export interface MigrationOptions {
  readonly config: PostgresOfMigration;
  /** A name for the writes of this run, unlike all others. */
  readonly term: string;
  readonly nowMs: () => number;
  readonly sleep: (ms: number) => Promise<void>;
  readonly onProgress?: (step: 'copying' | 'verifying', done: number, total: number) => void;
  /** Called with a kind after each page of it that was written; a test ends the process there. */
  readonly onPage?: (kind: Kind) => void;
  /** Called before each step after the copy; a test ends the process there. */
  readonly onStep?: (step: 'copied' | 'verified' | 'marked' | 'finished') => Promise<void> | undefined;
}

/** The place that the records are in. */
type Source = 'folder' | 'postgres';

export interface Migrated {
  /** Folder or address; without user and password. */
  readonly from: string;
  readonly to: string;
  /** By kind and namespace. */
  readonly compared: readonly Compared[];
  /** False: the two differ, and the target is not finished. */
  readonly isWhole: boolean;
  /** Whether the server of the folder has sessions in Redis, which are not copied. */
  readonly sessionsAreInRedis: boolean;
}

/** A statement that reads or writes many rows may take as long. */
const STATEMENT_TIMEOUT_MS = 600_000;
/** Work, the lock, and one that reads beside it. */
const CONNECTIONS = 4;
/** PostgreSQL that does not answer is asked again for so long. */
const PATIENCE_MS = 60_000;
const PAUSE_MS = 1000;
/** Beginnings after a loss of the connection: a fault that comes back each time ends the command. */
const RESTARTS_MAX = 10;

/** Moves the records of a data folder into empty tables of PostgreSQL. The folder stays as it is. */
export function migrateToPostgres(options: MigrationOptions): Promise<Migrated> {
  return inWords('folder', options, () => moveToPostgres(options));
}

/** Moves the records in PostgreSQL into an empty data folder. The tables stay as they are. */
export function migrateToFolder(options: MigrationOptions): Promise<Migrated> {
  return inWords('postgres', options, () => moveToFolder(options));
}

/** Failures of all steps, that of opening the source too, are in one line. */
async function inWords<T>(source: Source, { config }: MigrationOptions, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw migrationFailure(error, config, source);
  }
}

async function moveToPostgres(options: MigrationOptions): Promise<Migrated> {
  const { config, term, nowMs } = options;
  const from = config.data;
  const to = placeOf(config);
  const folder = openSourceFolder(from, term, to);
  try {
    const source = new SqliteSource(folder.database);
    return await withDatabase(options, { creates: true }, async (database, check) => {
      await beginFilling(database, source.identity);
      const target = await PostgresTarget.open(database);
      const finish = {
        async mark() {
          await check();
          markFolderMoved(from, { to, at: new Date(nowMs()).toISOString() });
        },
        end: () => endFilling(database),
      };
      const compared = await move(options, { source, target, ...finish });
      return { from, to, compared, isWhole: isWhole(compared), sessionsAreInRedis: hasSeenKeyspaces(folder.database) };
    });
  } finally {
    folder.close();
  }
}

async function moveToFolder(options: MigrationOptions): Promise<Migrated> {
  const { config, term } = options;
  const from = placeOf(config);
  const to = resolve(config.data);
  return withDatabase(options, { creates: false }, async (database, check) => {
    const identity = await nameOfRecords(database, to);
    const folder = openTargetFolder(to, identity);
    try {
      const json = await folder.noted('offsets', async () => offsetsToJson(await database.snapshot(offsetsOf)));
      const read: PostgresDatabase['read'] = (work) => database.read(work);
      const source = new PostgresSource({ read, identity, offsets: offsetsFromJson(json) });
      const target = new SqliteTarget(folder.database, term);
      const finish = {
        async mark() {
          await check();
          await markMoved(database, identity, to);
        },
        end: async () => folder.finish(),
      };
      const compared = await move(options, { source, target, ...finish });
      return { from, to, compared, isWhole: isWhole(compared), sessionsAreInRedis: false };
    } finally {
      folder.close();
    }
  });
}

interface Move {
  readonly source: MigrationSource;
  readonly target: MigrationTarget;
  /** Has servers refuse the source. */
  readonly mark: () => Promise<void>;
  /** Lets servers use the target. */
  readonly end: () => Promise<void>;
}

/** At no moment may servers use both: the source is marked before the target is finished. */
async function move(options: MigrationOptions, { source, target, mark, end }: Move): Promise<readonly Compared[]> {
  const { onProgress, onPage, onStep } = options;
  const total = await countRecords(source);
  let done = 0;
  const counting = (step: 'copying' | 'verifying', of: number) => (count: number) => {
    done += count;
    onProgress?.(step, Math.min(done, of), of);
  };
  await copyRecords({ source, target, onRecords: counting('copying', total), onPage });
  await onStep?.('copied');
  done = 0;
  const compared = await compare(source, target.readBack(), counting('verifying', 2 * total));
  if (!isWhole(compared)) return compared;
  await onStep?.('verified');
  await mark();
  await onStep?.('marked');
  await end();
  await onStep?.('finished');
  return compared;
}

function isWhole(compared: readonly Compared[]): boolean {
  return compared.every(({ isEqual }) => isEqual);
}

/** Address and schema, without user and password. */
export function placeOf({ postgresUrl, postgresSchema }: PostgresOfMigration): string {
  return `${addressOf(postgresUrl)}, schema ${postgresSchema}`;
}

/** For statements on whole tables. */
export function migrationDatabase(config: PostgresOfMigration): PostgresDatabase {
  return new PostgresDatabase({
    url: config.postgresUrl,
    schema: config.postgresSchema,
    tlsCa: config.postgresTlsCa,
    connectionsMax: CONNECTIONS,
    connectTimeoutMs: config.postgresConnectTimeoutMs,
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
  });
}

/** Connects, and begins again where the connection was lost: the work goes on where it was. */
async function withDatabase<T>(
  options: MigrationOptions,
  needs: { readonly creates: boolean },
  work: (database: PostgresDatabase, check: () => Promise<void>) => Promise<T>,
): Promise<T> {
  const { config, nowMs, sleep } = options;
  let [patientUntilMs, losses] = [0, 0];
  for (;;) {
    const database = migrationDatabase(config);
    try {
      return await withoutServers(database, needs, async (check) => {
        patientUntilMs = Number.POSITIVE_INFINITY;
        return work(database, check);
      });
    } catch (error) {
      if (patientUntilMs === Number.POSITIVE_INFINITY) {
        patientUntilMs = ++losses > RESTARTS_MAX ? 0 : nowMs() + PATIENCE_MS;
      }
      // The first connection must succeed: an address may be wrong.
      if (!isAway(error) || nowMs() >= patientUntilMs) throw error;
    } finally {
      await database.close();
    }
    await sleep(PAUSE_MS);
  }
}

/**
 * What happened to PostgreSQL, to Redis, to the file of a folder, or to a memory, in one line that says what to do. Errors that show a
 * defect are returned unchanged.
 */
export function migrationFailure(error: unknown, { data, postgresUrl }: PostgresOfMigration, source: Source): unknown {
  const said = (message: string) => new MigrationError(message, { cause: error });
  if (isDiskFull(error) || (error instanceof Error && isDiskFull(error.cause))) {
    return said(`the disk of ${data} is full: free space there, and run the command again`);
  }
  if (isPageDamage(error)) return said(damageOfFolder(data, source));
  if (isFileUnavailable(error)) {
    return said(
      `data folder ${data} cannot be used (${sqliteCode(error)}): check its permissions and disk, and run the command again`,
    );
  }
  if (!(error instanceof MnemeError)) return error;
  if (error.metadata['backend'] === 'postgres') return said(postgresFailure(error, postgresUrl));
  if (error.metadata['backend'] === 'redis') return said(error.message);
  if (!isDamage(error)) return error;
  if (source === 'postgres') return said(error.message);
  return said(`${error.message}: "mneme verify" lists the damage of ${data}, "mneme repair" removes it`);
}

function damageOfFolder(data: string, source: Source): string {
  if (source === 'folder')
    return `data folder ${data} is damaged: "mneme verify" lists the damage, "mneme repair" removes it`;
  return `data folder ${data}, which is being filled, is damaged: remove it, and run the command again`;
}

const PASSING: ReadonlySet<string | undefined> = new Set(['disconnected', 'loading', 'timeout', 'busy']);

function isAway(error: unknown): boolean {
  return error instanceof MnemeError && PASSING.has(error.metadata['fault']);
}
