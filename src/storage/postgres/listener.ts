import { Client } from 'pg';
import type { PoolOptions } from './connection-pool.ts';
import { connectionOf } from './connection-url.ts';

/** Time between two polls: a notification may be lost with its connection. */
const POLL_MS = 5000;
/** The same without a connection for notifications. */
const POLL_ALONE_MS = 500;

/** Longest wait for PostgreSQL to close a connection. */
const GOODBYE_MS = 1000;

export interface ListenerOptions {
  readonly connection: Pick<PoolOptions, 'url' | 'tlsCa'>;
  readonly channel: string;
  readonly onMessage: (message: string) => void;
  /** Called with each new connection, before it listens; where it fails, another one is tried later. */
  readonly admit?: (client: Client) => Promise<void>;
  /** Called when the connection is there, the first time or again: earlier messages are lost. */
  readonly onConnected?: () => void;
  /** Looks for changes whose message may be lost. */
  readonly poll: () => Promise<void>;
  /** Called when the connection or a poll has failed; both are tried again. */
  readonly onFailure: (error: unknown) => void;
  readonly pollMs?: number;
}

/** Listens to a channel on a connection of its own, which has to answer each time that it polls besides. */
export class Listener {
  /** Resolves when the first connection and poll were tried. */
  readonly begun: Promise<void>;
  private readonly options: ListenerOptions;
  private client: Client | undefined;
  private timer: NodeJS.Timeout | undefined;
  private working: Promise<void>;
  private isWorking = false;
  private isEnded = false;

  constructor(options: ListenerOptions) {
    this.options = options;
    this.working = this.turn();
    this.begun = this.working;
  }

  /** Resolves when its connection is closed. Safe to call twice. */
  async end(): Promise<void> {
    this.isEnded = true;
    clearTimeout(this.timer);
    await this.working;
    await this.disconnect();
  }

  /** Connects where no connection answers, then polls: what changed meanwhile has sent no notification. */
  private async turn(): Promise<void> {
    this.isWorking = true;
    try {
      if (this.client) await this.check(this.client);
      if (!this.client && !this.isEnded) await this.connect();
    } catch (error) {
      this.options.onFailure(error);
    }
    try {
      if (!this.isEnded) await this.options.poll();
    } catch (error) {
      this.options.onFailure(error);
    }
    this.isWorking = false;
    this.schedule();
  }

  private schedule(): void {
    if (this.isEnded || this.isWorking) return;
    clearTimeout(this.timer);
    const afterMs = this.options.pollMs ?? (this.client ? POLL_MS : POLL_ALONE_MS);
    this.timer = setTimeout(() => {
      this.working = this.turn();
    }, afterMs);
    this.timer.unref();
  }

  /** A connection whose peer or network has vanished is silent, as one without messages is. */
  private async check(client: Client): Promise<void> {
    try {
      await client.query('SELECT 1');
    } catch (error) {
      if (this.client === client) this.client = undefined;
      client.connection.stream.destroy();
      this.options.onFailure(error);
    }
  }

  private async connect(): Promise<void> {
    const { connection, channel, admit, onMessage, onConnected, onFailure } = this.options;
    const client = new Client({
      ...connectionOf(connection.url, '', connection.tlsCa),
      connectionTimeoutMillis: POLL_MS,
      query_timeout: POLL_MS,
    });
    client.on('notification', ({ payload }) => onMessage(payload ?? ''));
    const lost = (): void => {
      if (this.client !== client) return;
      this.client = undefined;
      this.schedule();
    };
    client.on('error', (error) => {
      lost();
      onFailure(error);
    });
    client.on('end', lost);
    try {
      await client.connect();
      await admit?.(client);
      await client.query(`LISTEN ${client.escapeIdentifier(channel)}`);
      this.client = client;
      onConnected?.();
    } catch (error) {
      await client.end().catch(onFailure);
      throw error;
    }
  }

  private async disconnect(): Promise<void> {
    const { client } = this;
    this.client = undefined;
    if (!client) return;
    // A server that is frozen never closes its side.
    const timer = setTimeout(() => client.connection.stream.destroy(), GOODBYE_MS);
    await client.end();
    clearTimeout(timer);
  }
}
