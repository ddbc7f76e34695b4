import { sql } from '#kysely';
import { checkSchema, createTables, SchemaError } from './create-tables.ts';
import type { PostgresDatabase, Session } from './database.ts';
import { serversLock } from './servers-lock.ts';

/**
 * Creates the tables of a server where there are none. Fails with SchemaError for tables of another schema, and where `mneme
 * migrate` fills them or has moved their records elsewhere.
 */
export async function openTables(database: PostgresDatabase): Promise<void> {
  await createTables(database);
  await database.read((session) => checkNotMigrated(session, database.schema));
}

/** Fails with SchemaError where a server of this version may not use the tables. Changes nothing. */
export async function checkTables(session: Session, schema: string): Promise<void> {
  await checkNotMigrated(session, schema);
  await checkSchema(session, schema);
}

async function checkNotMigrated(session: Session, schema: string): Promise<void> {
  const [row] = await session.run(
    sql<{ isFree: boolean; hasNotes: boolean }>`SELECT
      pg_try_advisory_xact_lock_shared(hashtextextended(${serversLock(schema)}, 0)) AS "isFree",
      to_regclass(quote_ident(current_schema()) || '.migration') IS NOT NULL AS "hasNotes"`,
  );
  if (row?.isFree === false) {
    throw new SchemaError('"mneme migrate" uses these tables: start the server when it is done');
  }
  if (!row?.hasNotes) return;
  const [moved] = await session.run(sql<{ value: string }>`SELECT value FROM migration WHERE key = ${MOVED_TO}`);
  if (!moved) {
    throw new SchemaError(
      `"mneme migrate" has not finished filling these tables: run it again, or remove them with DROP SCHEMA ${schema} CASCADE`,
    );
  }
  throw new SchemaError(
    `"mneme migrate" has moved these records to ${moved.value}: start a server there, or go back to them with DROP TABLE ${schema}.migration`,
  );
}

/** Key of the note that says where the records are now. */
export const MOVED_TO = 'moved to';
