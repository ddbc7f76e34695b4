import { sql } from '#kysely';
import type { PostgresDatabase, Session } from './database.ts';
import { postgresUnavailable } from './driver-error.ts';
import { isReadOnly } from './server-facts.ts';
import { SCHEMA_NUMBER, TABLES } from './tables.ts';

/** Why a database cannot be used, in one line that says what to do. */
export class SchemaError extends Error {
  override readonly name = 'SchemaError';
}

/**
 * Creates the tables of a schema without tables, in one transaction: of servers that start together, one creates them, and
 * the others wait. Fails with SchemaError, and changes nothing, for tables with another number.
 */
export async function createTables(database: PostgresDatabase): Promise<void> {
  const { schema } = database;
  // No lock where the tables are there.
  if (await database.read((session) => areUsable(session, schema))) return;
  await database.transaction(async (session) => {
    await session.run(sql`SELECT pg_advisory_xact_lock(hashtextextended(${`${schema}/tables`}, 0))`);
    if ((await checkSchema(session, schema)) !== undefined) return;
    await session.run(sql`CREATE SCHEMA IF NOT EXISTS ${sql.id(schema)}`);
    await session.run(sql.raw(TABLES));
  });
}

/** A server starts only where it can write. */
async function areUsable(session: Session, schema: string): Promise<boolean> {
  const found = await checkSchema(session, schema);
  if (found !== undefined && (await isReadOnly(session))) throw postgresUnavailable('read_only');
  return found !== undefined;
}

/** Number of the schema of the tables; `undefined` where there are none. Fails with SchemaError for another number. */
export async function checkSchema(session: Session, schema: string): Promise<number | undefined> {
  const [table] = await session.run(
    sql<{ isThere: boolean }>`SELECT to_regclass(quote_ident(${schema}) || '.meta') IS NOT NULL AS "isThere"`,
  );
  if (!table?.isThere) return undefined;
  // By name in JSON, since tables of other versions may lack the column.
  const [row] = await session.run(
    sql<{ number: number | null }>`SELECT (to_jsonb(meta)->>'schema_number')::integer AS number FROM meta`,
  );
  if (row?.number === SCHEMA_NUMBER) return SCHEMA_NUMBER;
  throw new SchemaError(
    `schema ${schema} of PostgreSQL has tables with number ${row?.number ?? 'none'}, and this version of mneme uses number ${SCHEMA_NUMBER} only: export the memories with the version that made them, or start with another schema (MNEME_POSTGRES_SCHEMA)`,
  );
}
