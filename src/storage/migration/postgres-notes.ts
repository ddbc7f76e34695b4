import { sql } from '#kysely';
import type { Session } from '../postgres/database.ts';

/**
 * Notes of a migration, in a table of the schema that exists during one into it, and after one out of it. A server does
 * not use a schema that has the table.
 */
export async function createNotes(session: Session): Promise<void> {
  await session.run(sql`CREATE TABLE IF NOT EXISTS migration(key text PRIMARY KEY, value text NOT NULL)`);
}

export async function hasNotes(session: Session): Promise<boolean> {
  const [row] = await session.run(
    sql<{ found: boolean }>`SELECT to_regclass(quote_ident(current_schema()) || '.migration') IS NOT NULL AS found`,
  );
  return row?.found === true;
}

export async function dropNotes(session: Session): Promise<void> {
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
