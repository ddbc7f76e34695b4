import { sql } from '#kysely';
import { type DatabaseOptions, PostgresDatabase } from './database.ts';

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
  readonly isEncrypted: boolean;
  readonly connectionsMax: number;
}

/** Changes nothing. Fails as calls of the database do. */
export async function readServerState(options: DatabaseOptions & { readonly schema: string }): Promise<ServerState> {
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
        }>`SELECT current_setting('server_version') AS version, current_setting('server_version_num') AS number,
          current_setting('transaction_read_only') AS read_only, current_setting('fsync') AS fsync,
          CASE WHEN EXISTS (SELECT FROM pg_namespace WHERE nspname = ${schema})
            THEN has_schema_privilege(${schema}, 'CREATE') AND has_schema_privilege(${schema}, 'USAGE')
            ELSE has_database_privilege(current_database(), 'CREATE') END AS may_write,
          COALESCE((SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()), false) AS encrypted,
          current_setting('max_connections') AS connections`,
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
      isEncrypted: row.encrypted,
      connectionsMax: Number(row.connections),
    };
  } finally {
    await database.close();
  }
}
