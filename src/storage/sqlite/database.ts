import { join } from 'node:path';
import Database, { type Statement } from 'better-sqlite3';
import {
  type CompiledQuery,
  DummyDriver,
  Kysely,
  type RawBuilder,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from '#kysely';
import { isPageDamage } from './driver-error.ts';
import type { Schema } from './schema.ts';

export type SqliteDatabase = Database.Database;

/** Time that a statement waits for a lock of another connection; only checkpoints hold locks for long. */
export const WAITS_FOR_LOCKS_MS = 5000;
export const PAGE_BYTES = 4096;
/** Stores take the same CPU as with twice as much; the system keeps the other pages of the file. */
const WRITER_CACHE_KIB = 32_768;
const READER_CACHE_KIB = 16_384;
/** Size to which the write-ahead log is truncated after a checkpoint has emptied it. */
const LOG_BYTES_KEPT = 67_108_864;
/** Pages of the log after which a checkpoint runs: rarer checkpoints write each page of an index once. */
const CHECKPOINT_PAGES = 4000;

const settings = [
  'journal_mode = WAL',
  'synchronous = FULL',
  'foreign_keys = ON',
  `cache_size = -${WRITER_CACHE_KIB}`,
  `journal_size_limit = ${LOG_BYTES_KEPT}`,
  `wal_autocheckpoint = ${CHECKPOINT_PAGES}`,
  'temp_store = MEMORY',
];

/**
 * Opens a database for writing. A commit is on disk when it returns: the default of WAL could lose it in a power
 * failure.
 */
export function openWritable(file: string): SqliteDatabase {
  return withPragmas(new Database(file, { timeout: WAITS_FOR_LOCKS_MS }), settings);
}

/** Opens the database of a data folder for reading; each statement sees every commit before it. */
export function openReadOnly(folder: string): SqliteDatabase {
  const database = new Database(databaseFileIn(folder), {
    readonly: true,
    fileMustExist: true,
    timeout: WAITS_FOR_LOCKS_MS,
  });
  return withPragmas(database, [`cache_size = -${READER_CACHE_KIB}`, 'temp_store = MEMORY']);
}

/** Closed where a damaged file does not allow them: an open one would keep its locks. */
function withPragmas(database: SqliteDatabase, pragmas: readonly string[]): SqliteDatabase {
  try {
    for (const pragma of pragmas) database.pragma(pragma);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

export function databaseFileIn(folder: string): string {
  return join(folder, 'mneme.db');
}

/** Builds queries without running them: statements run synchronously on better-sqlite3. */
export const queries = new Kysely<Schema>({
  dialect: {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (database) => new SqliteIntrospector(database),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  },
});

export interface Prepared<P, O> {
  get(values: P): O | undefined;
  all(values: P): O[];
  /** Ends the read when the loop ends; the statement cannot be reused inside the loop. */
  iterate(values: P): IterableIterator<O>;
  /** Number of rows changed. */
  run(values: P): number;
}

type Query<O> = { compile(): CompiledQuery<O> } | RawBuilder<O>;

/** Placeholder for a value that each call binds. */
class Parameter {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

const parameters = new Proxy({}, { get: (_, name) => new Parameter(String(name)) });

/**
 * A query that is built once, when its module is loaded, and prepared once per connection. `build` receives an object
 * whose properties stand for the values of a call: `prepared((p: { pk: number }) => queries.selectFrom(…).where('pk',
 * '=', p.pk))`.
 */
export function prepared<P extends object, O>(
  build: (values: P) => Query<O>,
): (database: SqliteDatabase) => Prepared<P, O> {
  const query = compiled(build(parameters as P));
  const order = query.parameters.map((value) => (value instanceof Parameter ? value.name : undefined));
  const bind = (values: P): unknown[] =>
    order.map((name, at) => (name === undefined ? query.parameters[at] : (values as Record<string, unknown>)[name]));
  const statements = new WeakMap<SqliteDatabase, Prepared<P, O>>();
  return (database) => {
    const known = statements.get(database);
    if (known) return known;
    const statement = database.prepare<unknown[], O>(query.sql);
    const made = boundStatement(statement, bind);
    statements.set(database, made);
    return made;
  };
}

/** For queries whose text depends on the call, such as those of filters. */
export function prepareOnce<O>(database: SqliteDatabase, query: Query<O>): Prepared<object, O> {
  const { sql, parameters: values } = compiled(query);
  return boundStatement(database.prepare<unknown[], O>(sql), () => [...values]);
}

/**
 * The unary plus changes no value but hides the parameter from the planner of SQLite (3.46 and later), which otherwise
 * peeks at the values of `column = ?` and prepares the statement anew at every call: 30 µs and more instead of 3.
 */
function compiled<O>(query: Query<O>): CompiledQuery<O> {
  const made = (query as RawBuilder<O>).compile(queries);
  return { ...made, sql: made.sql.replaceAll('?', '+?') };
}

function boundStatement<P, O>(statement: Statement<unknown[], O>, bind: (values: P) => unknown[]): Prepared<P, O> {
  return {
    get: (values) => statement.get(...bind(values)),
    all: (values) => statement.all(...bind(values)),
    iterate: (values) => statement.iterate(...bind(values)),
    run: (values) => statement.run(...bind(values)).changes,
  };
}

/** Ends a transaction that has only read. Some errors of the disk have already ended it. */
export function endRead(database: SqliteDatabase, commit: Statement = database.prepare('COMMIT')): void {
  if (!database.inTransaction) return;
  try {
    commit.run();
  } catch (error) {
    // A damaged page makes even this fail; the transaction has changed nothing.
    if (!isPageDamage(error)) throw error;
    if (database.inTransaction) database.exec('ROLLBACK');
  }
}
