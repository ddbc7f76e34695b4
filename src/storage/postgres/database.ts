import { DatabaseError, type PoolClient, type QueryResult } from 'pg';
import {
  type CompiledQuery,
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type RawBuilder,
} from '#kysely';
import type { PoolState, TransactionKind, TransactionMeter } from '../../memory/meters.ts';
import { traced } from '../../search/threads/span.ts';
import { currentSignal, writtenInCall } from '../current-call.ts';
import { settled } from '../settled.ts';
import { ConnectionPool, type PoolOptions } from './connection-pool.ts';
import { isDiskFull, postgresUnavailable, translated } from './driver-error.ts';
import { endedBy } from './end-of-call.ts';
import { BODY_KEY, type BodyFallback, BodyMoved, type ExternalBodies, fillBodies } from './external-bodies.ts';
import type { Schema } from './schema.ts';

/** Builds queries without running them. */
export const queries = new Kysely<Schema>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (database) => new PostgresIntrospector(database),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
});

export type Query<O> = { compile(): CompiledQuery<O> } | RawBuilder<O>;

/** Reads of rows whose bodies move meanwhile; what is missing in the last one is lost. */
const READS_MAX = 3;

/** Of a statement that writes, at a server that is read only: a standby, perhaps since a moment ago. */
const READ_ONLY = '25006';

/** One connection, for as long as it is borrowed. */
export interface Session {
  /** Rows of the answer. `mayLack`: while the store of their bodies is away, rows may come without a text. */
  run<O>(query: Query<O>, options?: { readonly mayLack: boolean }): Promise<O[]>;
  /** Sends all of them before the first answer; fails as the first that fails. */
  runAll(all: readonly Query<unknown>[]): Promise<void>;
}

/** Connections to one PostgreSQL. Failures are translated; a connection that has failed is not used again. */
export class PostgresDatabase {
  /** While a migration has the tables, every call fails. */
  isMigrating = false;
  /** The store of bodies that are not in PostgreSQL. */
  bodies: ExternalBodies | undefined;
  /** Copies of bodies that this store has lost. */
  bodyFallback: BodyFallback | undefined;
  private readonly options: PoolOptions;
  private readonly pool: ConnectionPool;
  private meter: TransactionMeter | undefined;

  constructor(options: PoolOptions) {
    this.options = options;
    this.pool = new ConnectionPool(options);
  }

  get schema(): string {
    return this.pool.schema;
  }

  get connectionsMax(): number {
    return this.pool.connectionsMax;
  }

  /** Measures transactions from now on. */
  measure(meter: TransactionMeter): void {
    this.meter = meter;
  }

  get connections(): PoolState {
    return this.pool.state;
  }

  /** Each statement sees all that was committed before it. */
  read<T>(work: (session: Session) => Promise<T>): Promise<T> {
    return this.borrowed('read', 'read', work);
  }

  /** The same for the call that is served: it ends with the call, whether it waits for a connection or runs. */
  readInCall<T>(work: (session: Session) => Promise<T>): Promise<T> {
    return this.borrowed('read', 'read', work, currentSignal());
  }

  /** All statements see the state at the first one. */
  snapshot<T>(work: (session: Session) => Promise<T>): Promise<T> {
    return this.within('read', 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY', work);
  }

  /** Rows of each query, all of them from one state of the database. It ends with the call that is served. */
  readAtOnce<T extends readonly unknown[]>(
    ...all: { readonly [K in keyof T]: Query<T[K]> }
  ): Promise<{
    [K in keyof T]: T[K][];
  }> {
    const work = async (connection: Borrowed) => {
      const [, ...rows] = await settled([
        connection.send('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY'),
        ...all.map((query) => connection.run(query)),
        connection.send('COMMIT'),
      ]);
      return rows.slice(0, all.length) as { [K in keyof T]: T[K][] };
    };
    return this.borrowed('snapshot', 'read', work, currentSignal());
  }

  /**
   * As `transaction`, in two round trips: BEGIN goes out with what `load` sends, which locks and reads only, and COMMIT
   * with the statements that `work` returns.
   */
  loadedTransaction<L, T>(
    load: (session: Session) => Promise<L>,
    work: (
      session: Session,
      loaded: L,
    ) => Promise<{ readonly result: T; readonly statements: readonly Query<unknown>[] }>,
  ): Promise<T> {
    return this.borrowed('transaction', 'write', async (connection) => {
      try {
        // Without BEGIN, which may fail, the locks end with their statements: nothing is written then.
        const [, loaded] = await settled([connection.send('BEGIN'), load(connection)] as const);
        const { result, statements } = await work(connection, loaded);
        // Behind a statement that fails, COMMIT rolls back.
        await settled([...statements.map((query) => connection.run(query)), connection.commit()]);
        return result;
      } catch (error) {
        // PostgreSQL rolls back by itself where the connection is lost.
        if (!connection.failure) await connection.send('ROLLBACK');
        throw error;
      }
    });
  }

  /** Commits when `work` resolves; it is on disk then. Rolls back when it fails. */
  transaction<T>(work: (session: Session) => Promise<T>): Promise<T> {
    writtenInCall();
    return this.within('write', 'BEGIN', work);
  }

  private within<T>(kind: TransactionKind, begin: string, work: (session: Session) => Promise<T>): Promise<T> {
    return this.borrowed('transaction', kind, async (connection) => {
      // Alone: without it, the statements behind it would be transactions of their own.
      await connection.send(begin);
      try {
        const result = await work(connection);
        await connection.commit();
        return result;
      } catch (error) {
        // PostgreSQL rolls back by itself where the connection is lost.
        if (!connection.failure) await connection.send('ROLLBACK');
        throw error;
      }
    });
  }

  async close(): Promise<void> {
    await this.pool.close();
  }

  private borrowed<T>(
    name: string,
    kind: TransactionKind,
    work: (connection: Borrowed) => Promise<T>,
    signal?: AbortSignal,
  ): Promise<T> {
    const describe = () => {
      const attributes = { 'db.system.name': 'postgresql', 'db.namespace': this.schema };
      return { name: `postgresql ${name}`, kind: 'client' as const, attributes };
    };
    return traced(describe, () => this.repeated(kind, (isFinal) => this.withConnection(kind, work, isFinal, signal)));
  }

  /** Rows that a transaction writes are locked: what they name does not move. */
  private async repeated<T>(kind: TransactionKind, run: (isFinal: boolean) => Promise<T>): Promise<T> {
    for (let left = kind === 'read' ? READS_MAX : 1; ; ) {
      left--;
      try {
        return await run(left === 0);
      } catch (error) {
        if (!(error instanceof BodyMoved)) throw error;
      }
    }
  }

  private async withConnection<T>(
    kind: TransactionKind,
    work: (connection: Borrowed) => Promise<T>,
    isFinal: boolean,
    signal: AbortSignal | undefined,
  ): Promise<T> {
    signal?.throwIfAborted();
    if (this.isMigrating) throw postgresUnavailable('migrating');
    let connection: Borrowed | undefined;
    try {
      const borrowed = new Borrowed(
        await this.connect(signal),
        (rows, mayLack) => fillBodies(rows, this.bodies, { fallback: this.bodyFallback, isFinal, mayLack }),
        signal,
      );
      connection = borrowed;
      const run = () => this.timed(kind, work(borrowed));
      return await (signal ? endedBy(signal, () => this.cancel(borrowed), run) : run());
    } catch (error) {
      if (isDiskFull(error)) await connection?.probe();
      if (signal?.aborted) throw signal.reason;
      if (error instanceof BodyMoved) throw error;
      const hasExternalBodies = this.bodies?.hasUpperTiers ?? false;
      throw translated(connection?.failure ?? error, {
        hasWritten: connection?.hasWritten ?? false,
        hasExternalBodies,
      });
    } finally {
      connection?.giveBack();
    }
  }

  private async connect(signal: AbortSignal | undefined): Promise<PoolClient> {
    const startedMs = performance.now();
    try {
      return await this.pool.connect(signal);
    } finally {
      this.meter?.connected(performance.now() - startedMs);
    }
  }

  private async timed<T>(kind: TransactionKind, work: Promise<T>): Promise<T> {
    const startedMs = performance.now();
    try {
      return await work;
    } finally {
      this.meter?.ended(kind, performance.now() - startedMs);
    }
  }

  private async cancel(connection: Borrowed): Promise<void> {
    try {
      await this.pool.cancel(connection.client);
    } catch (error) {
      connection.fail(error as Error);
      this.options.onConnectionError?.(error as Error);
    }
  }
}

/** Several statements in one text have a list of answers. */
type Answered = Pick<QueryResult, 'rows'> & Partial<Pick<QueryResult, 'fields'>>;

/** Command and first table of a statement; its values are parameters. */
function statementOf(text: string) {
  const [, command = 'statement'] = /^\s*(?:with\b[\s\S]*?\)\s*)?(\w+)/i.exec(text) ?? [];
  const [, table] = /\b(?:from|into|update|table)\s+(?:"?\w+"?\.)?"?(\w+)"?/i.exec(text) ?? [];
  const summary = table === undefined ? command.toUpperCase() : `${command.toUpperCase()} ${table}`;
  const attributes = { 'db.system.name': 'postgresql', 'db.query.summary': summary };
  return { name: `postgresql ${summary}`, kind: 'client' as const, attributes };
}

/** Locks of reads count too: `FOR UPDATE`. */
const WRITES = /\b(insert|update|delete|truncate|create|alter|drop)\b/i;

/** Gives rows the bodies of another store. */
type Fill = (rows: readonly unknown[], mayLack: boolean) => Promise<void>;

class Borrowed implements Session {
  /** Why the connection cannot be used any more. */
  failure: Error | undefined;
  /** A statement that may write was sent. */
  hasWritten = false;
  private isGivenBack = false;
  readonly client: PoolClient;
  private readonly signal: AbortSignal | undefined;
  private readonly fill: Fill;

  /** No statement is sent after the signal is aborted. */
  constructor(client: PoolClient, fill: Fill, signal?: AbortSignal) {
    this.client = client;
    this.fill = fill;
    this.signal = signal;
    // Without a listener, the loss of the connection would end the process.
    client.on('error', this.fail);
  }

  async run<O>(query: Query<O>, { mayLack = false } = {}): Promise<O[]> {
    const { sql, parameters } = (query as RawBuilder<O>).compile(queries);
    const { rows, fields }: Answered = await this.send(sql, parameters);
    if (fields?.some(({ name }) => name === BODY_KEY)) await this.fill(rows, mayLack);
    return rows as O[];
  }

  async runAll(all: readonly Query<unknown>[]): Promise<void> {
    await Promise.all(all.map((query) => this.run(query)));
  }

  async send(text: string, values: readonly unknown[] = []): Promise<QueryResult> {
    if (this.isGivenBack) throw new Error('a statement was sent after the end of its transaction');
    this.signal?.throwIfAborted();
    this.hasWritten ||= WRITES.test(text);
    try {
      return await traced(
        () => statementOf(text),
        () => this.client.query({ text, values: [...values] }),
      );
    } catch (error) {
      // After an answer of PostgreSQL the connection can be used; without one its state is unknown. A new connection
      // may lead to the server that has taken over from one that is read only.
      if (error instanceof Error && !(error instanceof DatabaseError && error.code !== READ_ONLY)) this.fail(error);
      throw error;
    }
  }

  /** PostgreSQL answers a COMMIT with ROLLBACK where a statement of the transaction has failed. */
  async commit(): Promise<void> {
    const { command } = await this.send('COMMIT');
    if (command !== 'COMMIT') throw new Error('PostgreSQL has rolled the transaction back');
  }

  /**
   * Learns after the error of a full disk whether the connection goes on. Where the disk of its log is full, PostgreSQL ends
   * all connections with the same error, and the statement may have taken effect.
   */
  async probe(): Promise<void> {
    if (!this.failure) await this.client.query('').catch(this.fail);
  }

  giveBack(): void {
    this.isGivenBack = true;
    this.client.off('error', this.fail);
    this.client.release(this.failure);
  }

  readonly fail = (error: Error): void => {
    this.failure ??= error;
  };
}
