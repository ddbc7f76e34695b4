import { sql } from '#kysely';
import type { PostgresDatabase, Session } from '../database.ts';
import { postgresUnavailable } from '../driver-error.ts';
import { isReadOnly } from '../server-facts.ts';
import { foundation } from './001-foundation.ts';
import { subscriptions } from './002-subscriptions.ts';
import { agentSnapshots } from './003-agent-snapshots.ts';
import { jobLeases } from './004-job-leases.ts';
import { logStart } from './005-log-start.ts';
import { sessions } from './006-sessions.ts';
import { reembedding } from './007-reembedding.ts';
import { sessionHome } from './008-session-home.ts';
import { externalBodies } from './009-external-bodies.ts';
import { attemptUpgrade, type UpgradeOptions } from './attempt-upgrade.ts';
import { SchemaError } from './schema-error.ts';

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
  externalBodies,
];

export interface MigrateOptions extends UpgradeOptions {
  readonly migrations?: readonly string[];
}

/**
 * Applies the missing migrations in order, all in one transaction, beside running servers; servers that start together
 * wait for each other. A database of a newer version stays unchanged and is refused with `SchemaError`.
 */
export async function migrate(database: PostgresDatabase, options: MigrateOptions = {}): Promise<void> {
  const { migrations = MIGRATIONS } = options;
  const isCurrent = () => database.read((session) => isUpgraded(session, database.schema, migrations.length));
  if (await isCurrent()) return;
  await attemptUpgrade(database, options, {
    isDone: isCurrent,
    apply: (session) => apply(session, database.schema, migrations, options.signal),
  });
}

/** Needs no lock, so that a server of the version of the tables starts while a newer one upgrades them. */
async function isUpgraded(session: Session, schema: string, known: number): Promise<boolean> {
  if ((await appliedIn(session, schema, known)) < known) return false;
  // A server starts only where it can write.
  if (await isReadOnly(session)) throw postgresUnavailable('read_only');
  return true;
}

/** Fails with SchemaError where a newer version has written the tables. */
export async function checkVersion(session: Session, schema: string): Promise<void> {
  await appliedIn(session, schema, MIGRATIONS.length);
}

/** Number of the newest migration of the tables; 0 where there are none. */
async function appliedIn(session: Session, schema: string, known: number): Promise<number> {
  const [found] = await session.run(
    sql<{ hasMeta: boolean }>`SELECT to_regclass(quote_ident(${schema}) || '.meta') IS NOT NULL AS "hasMeta"`,
  );
  if (!found?.hasMeta) return 0;
  const [row] = await session.run(sql<{ migration: number }>`SELECT migration FROM meta`);
  const applied = row?.migration ?? 0;
  if (applied > known) {
    throw new SchemaError(
      `this PostgreSQL database was written by a newer mneme (schema ${applied}, this one knows ${known}): run that version, or use another database`,
    );
  }
  return applied;
}

async function apply(
  session: Session,
  schema: string,
  migrations: readonly string[],
  signal: AbortSignal | undefined,
): Promise<void> {
  const applied = await appliedIn(session, schema, migrations.length);
  if (applied === migrations.length) return;
  if (applied === 0) {
    await session.run(sql`CREATE SCHEMA IF NOT EXISTS ${sql.id(schema)}`);
    await session.run(sql`CREATE TABLE IF NOT EXISTS meta(
      migration integer NOT NULL, revision_floor bigint NOT NULL, settings text NOT NULL)`);
    await session.run(sql`INSERT INTO meta SELECT 0, 0, '{}' WHERE NOT EXISTS (SELECT 1 FROM meta)`);
  }
  for (const migration of migrations.slice(applied)) {
    signal?.throwIfAborted();
    await session.run(sql.raw(migration));
  }
  await session.run(sql`UPDATE meta SET migration = ${migrations.length}`);
}
