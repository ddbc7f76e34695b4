import { sql } from '#kysely';
import type { PostgresDatabase } from '../database.ts';
import { foundation } from './001-foundation.ts';
import { subscriptions } from './002-subscriptions.ts';
import { agentSnapshots } from './003-agent-snapshots.ts';
import { jobLeases } from './004-job-leases.ts';
import { logStart } from './005-log-start.ts';
import { sessions } from './006-sessions.ts';
import { reembedding } from './007-reembedding.ts';
import { sessionHome } from './008-session-home.ts';

/** In order of their numbers, from 1. A released migration is never changed. */
export const MIGRATIONS: readonly string[] = [
  foundation,
  subscriptions,
  agentSnapshots,
  jobLeases,
  logStart,
  sessions,
  reembedding,
  sessionHome,
];

/** Of the advisory lock under which one server at a time migrates. */
const MIGRATION_LOCK = 0x6d6e_656d;

/** Why a database cannot be used, in one line that says what to do. */
export class SchemaError extends Error {
  override readonly name = 'SchemaError';
}

/**
 * Applies the missing migrations in order, all in one transaction; servers that start together wait for each other. A
 * database of a newer version stays unchanged and is refused with `SchemaError`.
 */
export async function migrate(database: PostgresDatabase, migrations: readonly string[] = MIGRATIONS): Promise<void> {
  await database.transaction(async (session) => {
    await session.run(sql`SELECT pg_advisory_xact_lock(${MIGRATION_LOCK}::bigint)`);
    await session.run(sql`CREATE SCHEMA IF NOT EXISTS ${sql.id(database.schema)}`);
    await session.run(sql`CREATE TABLE IF NOT EXISTS meta(
      migration integer NOT NULL, revision_floor bigint NOT NULL, settings text NOT NULL)`);
    const rows = await session.run(sql<{ migration: number }>`SELECT migration FROM meta`);
    const applied = rows[0]?.migration ?? 0;
    if (applied > migrations.length) {
      throw new SchemaError(
        `this PostgreSQL database was written by a newer mneme (schema ${applied}, this one knows ${migrations.length}): run that version, or use another database`,
      );
    }
    for (const migration of migrations.slice(applied)) await session.run(sql.raw(migration));
    if (rows.length === 0) await session.run(sql`INSERT INTO meta VALUES (0, 0, '{}')`);
    await session.run(sql`UPDATE meta SET migration = ${migrations.length}`);
  });
}
