import { sql } from '#kysely';
import type { PoolOptions } from './connection-pool.ts';
import { SchemaError } from './create-tables.ts';
import { PostgresDatabase } from './database.ts';
import { checkTables } from './open-tables.ts';

/** What decides whether a server could use a PostgreSQL. */
export interface ServerState {
  readonly version: string;
  /** Of its first number. */
  readonly major: number;
  readonly isReadOnly: boolean;
  /** A commit is on disk when it is acknowledged. */
  readonly isDurable: boolean;
  /** The role may use the tables, or make them. */
  readonly mayWrite: boolean;
  /** Why no server of this version may use the tables, in one line; `undefined` where one may. */
  readonly refusal: string | undefined;
  readonly isEncrypted: boolean;
  readonly connectionsMax: number;
  /** The store that has sessions of its servers; `undefined` where there are none yet. */
  readonly sessionsIn: 'PostgreSQL' | 'Redis' | undefined;
}

/** Changes nothing. Fails as calls of the database do. */
export async function readServerState(options: PoolOptions & { readonly schema: string }): Promise<ServerState> {
  const database = new PostgresDatabase({ ...options, connectionsMax: 1 });
  const { schema } = options;
  try {
    const [row] = await database.read((session) =>
      session.run(
        sql<{
          version: string;
          number: string;
          read_only: string;
          fsync: string;
          may_write: boolean;
          encrypted: boolean;
          connections: string;
          has_sessions: boolean;
          has_home: boolean;
        }>`SELECT current_setting('server_version') AS version, current_setting('server_version_num') AS number,
          current_setting('transaction_read_only') AS read_only, current_setting('fsync') AS fsync,
          CASE WHEN EXISTS (SELECT FROM pg_namespace WHERE nspname = ${schema})
            THEN has_schema_privilege(${schema}, 'CREATE') AND has_schema_privilege(${schema}, 'USAGE')
            ELSE has_database_privilege(current_database(), 'CREATE') END AS may_write,
          COALESCE((SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()), false) AS encrypted,
          current_setting('max_connections') AS connections,
          to_regclass(quote_ident(${schema}) || '.session') IS NOT NULL AS has_sessions,
          to_regclass(quote_ident(${schema}) || '.session_home') IS NOT NULL AS has_home`,
      ),
    );
    if (!row) throw new Error('PostgreSQL says nothing about itself');
    const [version = ''] = row.version.split(' ');
    return {
      version,
      major: Math.floor(Number(row.number) / 10_000),
      isReadOnly: row.read_only === 'on',
      isDurable: row.fsync === 'on',
      mayWrite: row.may_write,
      refusal: row.may_write ? await refusalOf(database) : undefined,
      isEncrypted: row.encrypted,
      connectionsMax: Number(row.connections),
      sessionsIn: await storeOfSessions(database, schema, row),
    };
  } finally {
    await database.close();
  }
}

async function refusalOf(database: PostgresDatabase): Promise<string | undefined> {
  try {
    await database.read((session) => checkTables(session, database.schema));
    return undefined;
  } catch (error) {
    if (!(error instanceof SchemaError)) throw error;
    return error.message;
  }
}

async function storeOfSessions(
  database: PostgresDatabase,
  schema: string,
  tables: { readonly may_write: boolean; readonly has_home: boolean; readonly has_sessions: boolean },
): Promise<ServerState['sessionsIn']> {
  const hasRows = async (table: 'session' | 'session_home'): Promise<boolean> => {
    const query = sql`SELECT 1 FROM ${sql.id(schema, table)} LIMIT 1`;
    return (await database.read((session) => session.run(query))).length > 0;
  };
  if (!tables.may_write) return undefined;
  if (tables.has_home && (await hasRows('session_home'))) return 'Redis';
  return tables.has_sessions && (await hasRows('session')) ? 'PostgreSQL' : undefined;
}
