import type { Client } from 'pg';
import { sql } from '#kysely';
import { type PostgresDatabase, type Query, queries } from './database.ts';
import { postgresUnavailable } from './driver-error.ts';
import { Listener, type ListenerOptions } from './listener.ts';
import { serversLock } from './servers-lock.ts';

const NAMESPACES_MAX = 100_000;

export interface ChangeListenerOptions extends Pick<ListenerOptions, 'connection' | 'onFailure' | 'pollMs'> {
  readonly database: PostgresDatabase;
  readonly onChange: (namespace: string) => void;
}

/** Names namespaces with new changes: by notifications, and by polling where they fail to come. */
export class ChangeListener {
  private readonly options: ChangeListenerOptions;
  private readonly seen = new Map<string, string>();
  private readonly listener: Listener;

  constructor(options: ChangeListenerOptions) {
    this.options = options;
    this.listener = new Listener({
      ...options,
      channel: channelOf(options.database.schema),
      admit: (client) => this.admit(client),
      onMessage: options.onChange,
      poll: () => this.poll(),
    });
  }

  /** Resolves when its connection is closed. Safe to call twice. */
  end(): Promise<void> {
    return this.listener.end();
  }

  /** Shares the lock of servers: without it, or where the records were moved, the server uses no table. */
  private async admit(client: Client): Promise<void> {
    const { database } = this.options;
    const { schema } = database;
    const locked = await client.query<{ taken: boolean }>(
      'SELECT pg_try_advisory_lock_shared(hashtextextended($1, 0)) AS taken',
      [serversLock(schema)],
    );
    const noted = await client.query<{ found: boolean }>('SELECT to_regclass($1) IS NOT NULL AS found', [
      `${client.escapeIdentifier(schema)}.migration`,
    ]);
    database.isMigrating = locked.rows[0]?.taken !== true || noted.rows[0]?.found === true;
    if (database.isMigrating) throw postgresUnavailable('migrating');
  }

  /** Reads all revisions. */
  private async poll(): Promise<void> {
    const rows = await this.options.database.read((session) =>
      session.run(queries.selectFrom('namespace').select(['name', 'key', 'log_revision']).limit(NAMESPACES_MAX)),
    );
    const gone = new Set(this.seen.keys());
    for (const { name, key, log_revision: revision } of rows) {
      gone.delete(name);
      const state = `${key} ${revision}`;
      if (this.seen.get(name) === state) continue;
      this.seen.set(name, state);
      this.options.onChange(name);
    }
    for (const name of gone) {
      this.seen.delete(name);
      this.options.onChange(name);
    }
  }
}

/** Channel of a schema: its messages are names of namespaces with new changes. */
function channelOf(schema: string): string {
  return `${schema}_changes`;
}

/** Wakes the followers of a namespace when the transaction commits. */
export function notification(namespace: string): Query<unknown> {
  return sql`SELECT pg_notify(current_schema() || '_changes', ${namespace})`;
}
