import { Client } from 'pg';
import { connectionOf, type DatabaseOptions, type PostgresDatabase, queries } from './database.ts';
import { channelOf } from './notify.ts';

/** Time between two readings of all revisions: a notification may be lost with its connection. */
const POLL_MS = 5000;
/** The same without a connection for notifications. */
const POLL_ALONE_MS = 500;
const NAMESPACES_MAX = 100_000;

export interface ListenerOptions {
  readonly database: PostgresDatabase;
  readonly connection: Pick<DatabaseOptions, 'url'>;
  readonly onChange: (namespace: string) => void;
  /** Called when the connection or a poll has failed; both are tried again. */
  readonly onFailure: (error: unknown) => void;
  readonly pollMs?: number;
}

/** Names namespaces with new changes: by notifications, and by polling where they fail to come. */
export class ChangeListener {
  private readonly options: ListenerOptions;
  private readonly seen = new Map<string, string>();
  private client: Client | undefined;
  private timer: NodeJS.Timeout | undefined;
  private working: Promise<void>;
  private isEnded = false;

  constructor(options: ListenerOptions) {
    this.options = options;
    this.working = this.turn();
  }

  /** Resolves when its connection is closed. Safe to call twice. */
  async end(): Promise<void> {
    this.isEnded = true;
    clearTimeout(this.timer);
    await this.working;
    await this.disconnect();
  }

  /** Connects where there is no connection, then polls: what changed meanwhile has sent no notification. */
  private async turn(): Promise<void> {
    try {
      if (!this.client) await this.connect();
    } catch (error) {
      this.options.onFailure(error);
    }
    try {
      await this.poll();
    } catch (error) {
      this.options.onFailure(error);
    }
    if (this.isEnded) return;
    const afterMs = this.options.pollMs ?? (this.client ? POLL_MS : POLL_ALONE_MS);
    this.timer = setTimeout(() => {
      this.working = this.turn();
    }, afterMs);
    this.timer.unref();
  }

  private async connect(): Promise<void> {
    const { connection, database, onChange, onFailure } = this.options;
    const client = new Client({
      ...connectionOf(connection.url, ''),
      keepAlive: true,
      connectionTimeoutMillis: POLL_MS,
      query_timeout: POLL_MS,
    });
    client.on('notification', ({ payload }) => onChange(payload ?? ''));
    const lost = (): void => {
      if (this.client === client) this.client = undefined;
    };
    client.on('error', (error) => {
      lost();
      onFailure(error);
    });
    client.on('end', lost);
    try {
      await client.connect();
      await client.query(`LISTEN ${client.escapeIdentifier(channelOf(database.schema))}`);
      this.client = client;
    } catch (error) {
      await client.end().catch(onFailure);
      throw error;
    }
  }

  private async disconnect(): Promise<void> {
    const { client } = this;
    this.client = undefined;
    await client?.end();
  }

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
