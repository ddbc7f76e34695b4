import { sql } from '#kysely';
import type { Session } from './database.ts';

/** What is known of a PostgreSQL and of the schema of its tables. */
export interface ServerFacts {
  /** Names the tables among those of all servers: of a copy, or of tables that were made anew, it is another. */
  readonly identity: string;
  /** Product and version, as text for people. */
  readonly technology: string;
  /** What an acknowledged write survives, as text for people. */
  readonly durability: string;
}

/** Sessions of this server set synchronous_commit themselves. */
export async function readServerFacts(session: Session): Promise<ServerFacts> {
  const [row] = await session.run(
    sql<{ fsync: string; standbys: string; version: string; identity: string }>`
      SELECT current_setting('fsync') AS fsync, current_setting('synchronous_standby_names') AS standbys,
      current_setting('server_version') AS version, (SELECT system_identifier FROM pg_control_system()) || '/'
      || (SELECT oid FROM pg_database WHERE datname = current_database()) || '/'
      || current_schema()::regnamespace::oid AS identity`,
  );
  if (!row) throw new Error('PostgreSQL says nothing about itself');
  const { fsync, standbys, version, identity } = row;
  const standby = standbys === '' ? '' : ` and the loss of the server (standbys ${standbys})`;
  const durability = fsync === 'on' ? `power loss${standby}` : `the end of the process alone: fsync is off${standby}`;
  const [number = version] = version.split(' ');
  return { identity, technology: `postgres ${number}`, durability };
}

/** Whether the server refuses writes: it is a standby, or set to read only. */
export async function isReadOnly(session: Session): Promise<boolean> {
  const [row] = await session.run(sql<{ value: string }>`SELECT current_setting('transaction_read_only') AS value`);
  return row?.value === 'on';
}
