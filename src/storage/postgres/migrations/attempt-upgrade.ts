import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from '#kysely';
import type { PostgresDatabase, Session } from '../database.ts';
import { isCancelled, isLockedOut } from '../driver-error.ts';
import { type HeldLock, holdLock } from '../servers-lock.ts';
import { SchemaError } from './schema-error.ts';

/** Of the advisory lock under which one server at a time migrates; earlier versions take it at each start. */
const MIGRATION_LOCK = 0x6d6e_656d;
/**
 * Statements of running servers wait behind one that waits for a table, so for this time at most. PostgreSQL ends an
 * autovacuum that is in the way after 1 s (`deadlock_timeout`).
 */
const LOCK_TIMEOUT_MS = 2000;
/** Time for running servers between two attempts. */
const PAUSE_MS = 8000;
/** Half an hour. */
const ATTEMPTS_MAX = 180;
/** Time between two looks at the upgrade of another server. */
const LOOK_MS = 200;
/** PostgreSQL ends the statement of a process that has died so soon, and frees the tables. */
const CONNECTION_CHECK_MS = 2000;
/** Systems on which PostgreSQL can check connections. */
const CHECKS_CONNECTIONS = 'linux|darwin|apple|bsd|solaris|illumos';

export interface UpgradeOptions {
  readonly lockTimeoutMs?: number;
  readonly attemptsMax?: number;
  readonly pause?: (ms: number, signal: AbortSignal | undefined) => Promise<void>;
  /** Ends the upgrade before its next statement, attempt or look. */
  readonly signal?: AbortSignal;
  /** Called when a lock delays the upgrade, each time that it is tried. */
  readonly onWait?: (why: string, error?: unknown) => void;
}

export interface Upgrade {
  readonly isDone: () => Promise<boolean>;
  /** Upgrades what is missing, within a transaction. */
  readonly apply: (session: Session) => Promise<void>;
}

/**
 * Upgrades the tables beside running servers, on a connection of its own with a long statement timeout. An attempt that
 * would wait for a lock for long is undone and repeated, so that running servers do not wait behind it. One server at a
 * time tries.
 */
export async function attemptUpgrade(database: PostgresDatabase, options: UpgradeOptions, upgrade: Upgrade) {
  const turn = await ownTurn(database, options, upgrade);
  if (!turn) return;
  const own = database.forUpgrade(options.lockTimeoutMs ?? LOCK_TIMEOUT_MS);
  try {
    await repeatedly(own, options, upgrade);
  } finally {
    await own.close();
    await turn.release();
  }
}

/** `undefined` where another server has upgraded the tables. */
async function ownTurn(
  database: PostgresDatabase,
  { pause = pauseFor, signal, onWait }: UpgradeOptions,
  { isDone }: Upgrade,
): Promise<HeldLock | undefined> {
  const looksMax = Math.ceil(database.upgradeTimeoutMs / LOOK_MS);
  for (let look = 0; look < looksMax; look++) {
    const turn = await holdLock(database, `${database.schema}/upgrade`);
    if (turn) return turn;
    onWait?.('another server upgrades the tables in PostgreSQL');
    await pause(LOOK_MS, signal);
    if (await isDone()) return undefined;
  }
  throw new SchemaError(
    `another server has been upgrading the tables of schema ${database.schema} for more than ${database.upgradeTimeoutMs} ms: let it finish, or stop it, and try again`,
  );
}

async function repeatedly(own: PostgresDatabase, options: UpgradeOptions, { apply }: Upgrade): Promise<void> {
  const { attemptsMax = ATTEMPTS_MAX, lockTimeoutMs = LOCK_TIMEOUT_MS, pause = pauseFor, signal, onWait } = options;
  for (let attempt = 1; ; attempt++) {
    signal?.throwIfAborted();
    try {
      return await own.transaction(async (session) => {
        await lockOthersOut(session, lockTimeoutMs);
        await apply(session);
      });
    } catch (error) {
      if (isCancelled(error)) throw tooLong(own, error);
      if (!isLockedOut(error)) throw error;
      if (attempt === attemptsMax) throw await lockedOut(own, attempt, lockTimeoutMs, error);
      onWait?.('another connection uses the tables in PostgreSQL, which are to be upgraded', error);
    }
    await pause(PAUSE_MS, signal);
  }
}

/** The wait for the advisory lock has no limit: no statement of a running server waits behind it. */
async function lockOthersOut(session: Session, lockTimeoutMs: number): Promise<void> {
  await session.run(sql`SELECT set_config('client_connection_check_interval', ${String(CONNECTION_CHECK_MS)}, true)
    WHERE version() ~* ${CHECKS_CONNECTIONS}`);
  await session.run(sql`SET LOCAL lock_timeout = 0`);
  await session.run(sql`SELECT pg_advisory_xact_lock(${MIGRATION_LOCK}::bigint)`);
  await session.run(sql`SELECT set_config('lock_timeout', ${String(lockTimeoutMs)}, true)`);
}

async function lockedOut(own: PostgresDatabase, attempts: number, lockTimeoutMs: number, cause: unknown) {
  const users = await own.read((session) => usersOfTables(session, own.schema));
  const names = users.length === 0 ? '' : ` (${users.join(', ')})`;
  return new SchemaError(
    `the tables of schema ${own.schema} are not upgraded: in each of ${attempts} attempts another connection used one of them for more than ${lockTimeoutMs} ms${names}: let "mneme backup", pg_dump or the transaction of that connection end, and try again`,
    { cause },
  );
}

function tooLong(own: PostgresDatabase, cause: unknown): SchemaError {
  return new SchemaError(
    `the tables of schema ${own.schema} are not upgraded: PostgreSQL ended a statement of the upgrade, which may take ${own.upgradeTimeoutMs} ms: raise MNEME_POSTGRES_UPGRADE_TIMEOUT_MS, and try again`,
    { cause },
  );
}

/** Connections with locks of tables, the oldest transactions first: those of other roles are without times. */
async function usersOfTables(session: Session, schema: string): Promise<string[]> {
  const rows = await session.run(
    sql<{ pid: number; name: string }>`SELECT a.pid, a.application_name AS name FROM pg_stat_activity a
      WHERE a.pid <> pg_backend_pid() AND EXISTS (SELECT 1 FROM pg_locks l JOIN pg_class c ON c.oid = l.relation
        WHERE l.pid = a.pid AND l.granted AND c.relnamespace = to_regnamespace(quote_ident(${schema}))
        AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database()))
      ORDER BY a.xact_start NULLS FIRST LIMIT 3`,
  );
  return rows.map(({ pid, name }) => (name === '' ? `process ${pid}` : `process ${pid}: ${name}`));
}

async function pauseFor(ms: number, signal: AbortSignal | undefined): Promise<void> {
  await sleep(ms, undefined, signal && { signal });
}
