import { Client, Pool, type PoolClient, TypeOverrides } from 'pg';
import type { PoolState } from '../../memory/meters.ts';
import { connectionOf } from './connection-url.ts';
import { cancelStatement, connected } from './end-of-call.ts';

export interface PoolOptions {
  /** `postgresql://user:password@host:port/database`. */
  readonly url: string;
  /** Schema of the tables; created if needed. */
  readonly schema?: string;
  /** Maximum connections. */
  readonly connectionsMax?: number;
  /** Maximum time of one statement, and of a wait for a lock. */
  readonly statementTimeoutMs?: number;
  /** Maximum time of connecting. */
  readonly connectTimeoutMs?: number;
  /** PEM file of authorities that the certificate of PostgreSQL is checked with. */
  readonly tlsCa?: string;
  /** Called when an idle connection has failed; the next call opens another one. */
  readonly onConnectionError?: (error: Error) => void;
}

const CONNECTIONS_MAX = 10;
const STATEMENT_TIMEOUT_MS = 10_000;
/** Time for PostgreSQL to end a statement itself, before the connection is given up. */
const GRACE_MS = 2000;
const CONNECT_TIMEOUT_MS = 5000;
/** A transaction that is idle for so long belongs to a server that has died: PostgreSQL ends it. */
const IDLE_IN_TRANSACTION_MS = 30_000;
/** Longest wait for PostgreSQL to close connections, after the last call. */
const GOODBYE_MS = 1000;

/**
 * Statements go out without waiting for the answers to earlier ones, which PostgreSQL runs and answers in order: a
 * transaction has fewer round trips than statements. After one that fails, those behind it fail too.
 */
const PIPELINE = { pipeline: true };

const INT8 = 20;
/** Numbers of 64 bits are exact here: times, revisions and counts are below 2^53. */
const parsers = new TypeOverrides();
parsers.setTypeParser(INT8, Number);

/** Connections to one PostgreSQL, each for one borrower at a time. */
export class ConnectionPool {
  readonly schema: string;
  readonly connectionsMax: number;
  private readonly options: PoolOptions;
  private readonly pool: Pool;
  /** Until they are closed: those that are idle or borrowed, and those that are leaving. */
  private readonly open = new Set<PoolClient>();

  constructor(options: PoolOptions) {
    const { url, schema = 'mneme', connectionsMax = CONNECTIONS_MAX } = options;
    this.options = options;
    const statementTimeoutMs = options.statementTimeoutMs ?? STATEMENT_TIMEOUT_MS;
    this.schema = schema;
    this.connectionsMax = connectionsMax;
    this.pool = new Pool({
      ...connectionOf(
        url,
        // A commit is on disk when it returns, whatever the server's default is.
        `-c search_path=${schema} -c synchronous_commit=on -c default_transaction_isolation=read\\ committed`,
        options.tlsCa,
      ),
      application_name: 'mneme',
      max: connectionsMax,
      connectionTimeoutMillis: options.connectTimeoutMs ?? CONNECT_TIMEOUT_MS,
      statement_timeout: statementTimeoutMs,
      query_timeout: statementTimeoutMs + GRACE_MS,
      lock_timeout: statementTimeoutMs,
      idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
      ...PIPELINE,
      types: parsers,
    });
    this.pool.on('error', (error) => options.onConnectionError?.(error));
    this.pool.on('connect', (client) => this.open.add(client));
    this.pool.on('remove', (client) => this.open.delete(client));
  }

  get state(): PoolState {
    const { totalCount, idleCount, waitingCount } = this.pool;
    return { inUseCount: totalCount - idleCount, idleCount, waitingCount, max: this.connectionsMax };
  }

  /** A connection, to be released. The wait for it ends when the signal is aborted. */
  connect(signal: AbortSignal | undefined): Promise<PoolClient> {
    return connected(this.pool, signal);
  }

  /**
   * Has PostgreSQL end the statement that runs on a connection. Fails, and ends the connection, where PostgreSQL does not
   * take the request: it is not known whether the request comes later, and ends a statement of the next borrower.
   */
  async cancel(client: PoolClient): Promise<void> {
    try {
      await cancelStatement(client, this.options.connectTimeoutMs ?? CONNECT_TIMEOUT_MS);
    } catch (error) {
      destroy(client);
      throw error;
    }
  }

  /** Resolves when no connection is borrowed. They are open no longer than `GOODBYE_MS` after, also without a network. */
  async close(): Promise<void> {
    await this.pool.end();
    const timer = setTimeout(() => {
      for (const client of this.open) destroy(client);
    }, GOODBYE_MS);
    timer.unref();
  }
}

/** What waits for an answer on the connection fails. */
function destroy(client: PoolClient): void {
  if (!(client instanceof Client)) throw new Error('the pool has connections of another driver');
  client.connection.stream.destroy();
}
