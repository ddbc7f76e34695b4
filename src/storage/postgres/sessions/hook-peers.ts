import { sql } from '#kysely';
import type { HookOffer } from '../../hook-peers.ts';
import {
  type HookExchange,
  type HookMessage,
  KEPT_MS,
  LeasedHookPeers,
  type OfferedHook,
  WAITING_MAX,
} from '../../sessions/leased-hook-peers.ts';
import type { PostgresDatabase } from '../database.ts';
import { sending } from './signals.ts';

export interface PostgresHookPeersOptions {
  readonly database: PostgresDatabase;
  /** Names this server among those that share the sessions. */
  readonly server: string;
  /** Time after which the hooks of a dead server expire. */
  readonly leaseMs: number;
  /** Called when messages could not be read; they are read again with the next one, or by a poll. */
  readonly onFailure: (error: unknown) => void;
}

/** Hooks are leased in a table; questions and answers go through another, and a notification names their server. */
export class PostgresHookPeers extends LeasedHookPeers {
  private readonly rows: HookRows;

  constructor(options: PostgresHookPeersOptions) {
    let rows: HookRows | undefined;
    super({
      ...options,
      exchange: (onMessage) => {
        rows = new HookRows(options, onMessage);
        return rows;
      },
    });
    if (!rows) throw new Error('the hooks of other servers have no rows');
    this.rows = rows;
  }

  /** To be called when there may be messages. */
  async readMessages(): Promise<void> {
    await this.rows.read();
  }
}

class HookRows implements HookExchange {
  private readonly options: PostgresHookPeersOptions;
  private readonly onMessage: (message: HookMessage) => void;
  private hasBegun = false;
  private reading: Promise<void> = Promise.resolve();

  constructor(options: PostgresHookPeersOptions, onMessage: (message: HookMessage) => void) {
    this.options = options;
    this.onMessage = onMessage;
  }

  async tell(hooks: readonly (readonly [id: string, offer: HookOffer | undefined])[]): Promise<void> {
    const { database, server, leaseMs } = this.options;
    const gone = hooks.flatMap(([id, offer]) => (offer ? [] : [id]));
    const offers = hooks.flatMap(([id, offer]) => (offer ? [{ id, ...offer }] : []));
    await database.read(async (session) => {
      if (gone.length > 0) {
        await session.run(sql`DELETE FROM hook_offer WHERE server = ${server} AND hook = any(${gone}::text[])`);
      }
      if (offers.length === 0) return;
      await session.run(sql`INSERT INTO hook_offer
        SELECT ${server}, v.hook, v.name, v.description, clock_timestamp() + ${leaseMs}::float8 * interval '1 millisecond'
        FROM unnest(${offers.map(({ id }) => id)}::text[], ${offers.map(({ name }) => name)}::text[],
          ${offers.map(({ description }) => description)}::text[]) AS v(hook, name, description)
        ON CONFLICT (server, hook) DO UPDATE SET expires_at = excluded.expires_at`);
    });
  }

  async hooks(): Promise<readonly OfferedHook[]> {
    return this.options.database.read((session) =>
      session.run(sql<OfferedHook>`WITH expired AS (DELETE FROM hook_offer WHERE ctid = any(ARRAY(
          SELECT ctid FROM hook_offer WHERE expires_at < clock_timestamp() FOR UPDATE SKIP LOCKED)))
        SELECT server, hook, name, description FROM hook_offer WHERE expires_at >= clock_timestamp()
        ORDER BY server, hook`),
    );
  }

  async send(server: string, message: HookMessage): Promise<void> {
    await this.options.database.transaction((session) =>
      session.runAll([
        sql`INSERT INTO hook_message(server, body) VALUES (${server}, ${JSON.stringify(message)})`,
        // Of servers that no longer read.
        sql`DELETE FROM hook_message WHERE key IN (SELECT key FROM hook_message
          WHERE at < clock_timestamp() - ${KEPT_MS}::float8 * interval '1 millisecond' FOR UPDATE SKIP LOCKED)`,
        sql`DELETE FROM hook_message WHERE key IN (SELECT key FROM hook_message
          WHERE server = ${server} ORDER BY key DESC OFFSET ${WAITING_MAX} FOR UPDATE SKIP LOCKED)`,
        sending([{ kind: 'hooks', server }]),
      ]),
    );
  }

  begin(): void {
    this.hasBegun = true;
  }

  /** The answers to questions under way are not waited for. */
  async close(): Promise<void> {
    this.hasBegun = false;
    await this.reading;
  }

  /** Takes the messages of this server, one reading after another. */
  read(): Promise<void> {
    this.reading = this.reading.then(() => this.take()).catch(this.options.onFailure);
    return this.reading;
  }

  private async take(): Promise<void> {
    if (!this.hasBegun) return;
    const { database, server } = this.options;
    const rows = await database.read((session) =>
      session.run(sql<{ key: number; body: string }>`DELETE FROM hook_message WHERE server = ${server}
        RETURNING key, body`),
    );
    rows.sort((one, other) => one.key - other.key);
    for (const { body } of rows) this.onMessage(JSON.parse(body) as HookMessage);
  }
}
