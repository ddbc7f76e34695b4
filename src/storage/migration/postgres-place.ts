import { sql } from '#kysely';
import { checkSchema, createTables } from '../postgres/create-tables.ts';
import { type PostgresDatabase, queries, type Session } from '../postgres/database.ts';
import { holdingBodies } from '../postgres/erase-bodies.ts';
import { hasExternalBodies } from '../postgres/move-bodies-back.ts';
import { MOVED_TO } from '../postgres/open-tables.ts';
import { newestRevision } from '../postgres/reads.ts';
import { readServerFacts } from '../postgres/server-facts.ts';
import { lockOutServers } from '../postgres/servers-lock.ts';
import { FORM, MigrationError } from './portable.ts';

const SOURCE = 'source';
/** Notes the form of the records: pages of two forms do not fit together. */
const RECORDS_FORM = 'form';

/**
 * Runs work on the tables of a schema while no server uses them. Missing tables are created if `creates` is set, and
 * otherwise are a failure. `check` fails where the lock of the schema was lost.
 */
export async function withoutServers<T>(
  database: PostgresDatabase,
  { creates }: { readonly creates: boolean },
  work: (check: () => Promise<void>) => Promise<T>,
): Promise<T> {
  const lock = await lockOutServers(database);
  if (!lock) {
    throw new MigrationError(`a server uses schema ${database.schema} of PostgreSQL: stop all servers of it first`);
  }
  try {
    if (!creates) await database.read((session) => checkThere(session, database.schema));
    await createTables(database);
    return await work(lock.check);
  } finally {
    await lock.release();
  }
}

/** Prepares empty tables for a migration from a source, or tables that one from the same source has begun to fill. */
export async function beginFilling(database: PostgresDatabase, source: string): Promise<void> {
  await database.transaction(async (session) => {
    if (!(await hasNotes(session))) {
      if (await isUsed(session)) {
        throw new MigrationError(
          `schema ${database.schema} of PostgreSQL is not empty: give another one with MNEME_POSTGRES_SCHEMA`,
        );
      }
      await createNotes(session);
      await writeNote(session, RECORDS_FORM, String(FORM));
      return writeNote(session, SOURCE, source);
    }
    if ((await readNote(session, SOURCE)) === source) return checkForm(session, database.schema);
    throw new MigrationError(
      `schema ${database.schema} of PostgreSQL belongs to another migration, or to an earlier state of this folder: give another one with MNEME_POSTGRES_SCHEMA, or remove it with DROP SCHEMA ${database.schema} CASCADE`,
    );
  });
}

async function checkForm(session: Session, schema: string): Promise<void> {
  if ((await readNote(session, RECORDS_FORM)) === String(FORM)) return;
  throw new MigrationError(
    `another version of mneme has begun to fill schema ${schema} of PostgreSQL: finish with that version, or remove it with DROP SCHEMA ${schema} CASCADE`,
  );
}

/** Servers may use the tables from now on. */
export async function endFilling(database: PostgresDatabase): Promise<void> {
  await database.transaction((session) => dropNotes(session));
}

/** Names the tables and their state. Fails where they cannot be moved, or were moved to another place than `to`. */
export async function nameOfRecords(database: PostgresDatabase, to: string): Promise<string> {
  return database.read((session) => nameIn(session, database.schema, to));
}

async function nameIn(session: Session, schema: string, to: string): Promise<string> {
  await checkReadable(session, schema);
  const moved = (await hasNotes(session)) ? await readNote(session, MOVED_TO) : undefined;
  if (moved !== undefined && moved !== to) {
    throw new MigrationError(
      `the records of schema ${schema} of PostgreSQL were moved to ${moved}: migrate from there, or go back to them with DROP TABLE ${schema}.migration`,
    );
  }
  if (await hasExternalBodies(session)) {
    throw new MigrationError(
      `texts of schema ${schema} of PostgreSQL are in Redis: let a server with MNEME_UPPER_TIERS=postgres bring them back first (docs/postgres.md#upper-tiers-in-redis)`,
    );
  }
  if (await areSessionsInRedis(session)) {
    throw new MigrationError(
      `sessions of schema ${schema} of PostgreSQL are in Redis, and do not move: end and delete them, and go back to PostgreSQL alone first (docs/postgres.md#sessions-in-redis)`,
    );
  }
  const { identity } = await readServerFacts(session);
  return `postgres ${identity} at ${await newestRevision(session)}`;
}

/** Fails where there are no tables, or tables of another schema. */
async function checkThere(session: Session, schema: string): Promise<void> {
  if ((await checkSchema(session, schema)) !== undefined) return;
  throw new MigrationError(`schema ${schema} of PostgreSQL has no tables of mneme`);
}

/** Fails where no tables can be read, or a migration has not finished filling them. */
async function checkReadable(session: Session, schema: string): Promise<void> {
  await checkThere(session, schema);
  if ((await hasNotes(session)) && (await readNote(session, MOVED_TO)) === undefined) {
    throw new MigrationError(
      `"mneme migrate" has not finished filling schema ${schema} of PostgreSQL: finish that migration first`,
    );
  }
}

async function areSessionsInRedis(session: Session): Promise<boolean> {
  return (await session.run(queries.selectFrom('session_home').selectAll())).length > 0;
}

/** Runs work on one state of the records, while servers may write. */
export function snapshotOfRecords<T>(
  database: PostgresDatabase,
  work: (session: Session, found: { readonly sessionsAreInRedis: boolean }) => Promise<T>,
): Promise<T> {
  const read = async (session: Session) => {
    // The transaction waits while the records are written elsewhere.
    await session.run(sql`SET LOCAL idle_in_transaction_session_timeout = 0`);
    await checkReadable(session, database.schema);
    return work(session, { sessionsAreInRedis: await areSessionsInRedis(session) });
  };
  return holdingBodies(database, () => database.snapshot(read));
}

/** No server uses the tables from now on. Fails where they are not in the state of that name any more. */
export async function markMoved(database: PostgresDatabase, name: string, to: string): Promise<void> {
  await database.transaction(async (session) => {
    if ((await nameIn(session, database.schema, to)) !== name) {
      throw new MigrationError(
        `a server has written to schema ${database.schema} of PostgreSQL meanwhile: stop all servers of it, and run the command again`,
      );
    }
    await createNotes(session);
    await writeNote(session, MOVED_TO, to);
  });
}

async function isUsed(session: Session): Promise<boolean> {
  const rows = await session.run(
    sql`SELECT 1 FROM namespace UNION ALL SELECT 1 FROM session UNION ALL SELECT 1 FROM session_home UNION ALL SELECT 1 FROM meta
      WHERE settings <> '{}' OR revision_floor > 0 LIMIT 1`,
  );
  return rows.length > 0;
}

/**
 * Notes of a migration, in a table of the schema that exists during one into it, and after one out of it. A server does
 * not use a schema that has the table.
 */
async function createNotes(session: Session): Promise<void> {
  await session.run(sql`CREATE TABLE IF NOT EXISTS migration(key text PRIMARY KEY, value text NOT NULL)`);
}

async function hasNotes(session: Session): Promise<boolean> {
  const [row] = await session.run(
    sql<{ found: boolean }>`SELECT to_regclass(quote_ident(current_schema()) || '.migration') IS NOT NULL AS found`,
  );
  return row?.found === true;
}

async function dropNotes(session: Session): Promise<void> {
  await session.run(sql`DROP TABLE migration`);
}

export async function readNote(session: Session, key: string): Promise<string | undefined> {
  const [row] = await session.run(sql<{ value: string }>`SELECT value FROM migration WHERE key = ${key}`);
  return row?.value;
}

export async function writeNote(session: Session, key: string, value: string): Promise<void> {
  await session.run(
    sql`INSERT INTO migration VALUES (${key}, ${value}) ON CONFLICT (key) DO UPDATE SET value = excluded.value`,
  );
}
