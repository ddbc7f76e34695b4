import { existsSync } from 'node:fs';
import { isDamage } from '../../../memory/errors.ts';
import { CHANGE } from '../change-log.ts';
import { checkSchema } from '../create-tables.ts';
import { databaseFileIn, openReadOnly, type SqliteDatabase } from '../database.ts';
import { FolderError, isPageDamage } from '../driver-error.ts';
import { refuseView } from '../folder.ts';
import { readWholeRow } from '../memory-rows.ts';
import { memoryFromRow } from '../rows.ts';
import { namespaceKeyOf, rowKeyRange } from '../schema.ts';
import { censusOf } from './census.ts';
import { type DamagedSession, type DamagedTable, damagedSessions, incompleteTables } from './lost-rows.ts';

export function isWhole({ tables, sessions, memories }: Verification): boolean {
  return tables.length + sessions.length + memories.length === 0;
}

/** A memory that cannot be returned as it was stored. */
export interface DamagedMemory {
  readonly namespace: string;
  /** Empty where no undamaged page names it. */
  readonly id: string;
  /** Of an erased memory, snapshots of agents have a state. */
  readonly isErased?: true;
}

/** What is damaged in a data folder. */
export interface Verification {
  /** Tables with their indexes, each with the first problem that was found. */
  readonly tables: readonly DamagedTable[];
  /** Sessions that lack rows, or whose checkpoints cannot be restored. */
  readonly sessions: readonly DamagedSession[];
  readonly memories: readonly DamagedMemory[];
  /** Memories that were read and compared with their checksums. */
  readonly soundCount: number;
}

/** Called after each memory with the number of those that are read. */
export type OnMemory = (done: number) => void;

/** Reads every page and every memory of a data folder, which a server may use meanwhile. */
export function verifyFolder(folder: string, onMemory?: OnMemory): Verification {
  refuseView(folder, 'verify PostgreSQL itself, with MNEME_POSTGRES_URL and without --data');
  if (!existsSync(databaseFileIn(folder))) throw new FolderError(`data folder ${folder} has no mneme.db`);
  let database: SqliteDatabase | undefined;
  try {
    database = openReadOnly(folder);
    checkSchema(database, `data folder ${folder}`, 'verify it with the version that wrote it');
    return verifyDatabase(database, onMemory);
  } catch (error) {
    if (!isPageDamage(error)) throw error;
    const problem = 'the list of the tables cannot be read, so nothing can';
    return { tables: [{ name: 'sqlite_schema', problem }], sessions: [], memories: [], soundCount: 0 };
  } finally {
    database?.close();
  }
}

export function verifyDatabase(database: SqliteDatabase, onMemory: OnMemory = () => {}): Verification {
  const unreadable = tableNames(database).flatMap((name) => {
    const problem = problemOf(database, name);
    return problem === undefined ? [] : [{ name, problem }];
  });
  const known = new Set(unreadable.map(({ name }) => name));
  const tables = [...unreadable, ...incompleteTables(database).filter(({ name }) => !known.has(name))];
  const sessions = damagedSessions(database);
  const memories: DamagedMemory[] = [];
  let soundCount = 0;
  for (const [key, namespace] of namespaceNames(database)) {
    for (const [pk, id = ''] of censusOf(database, key).ids) {
      if (isReadable(database, namespace, pk)) soundCount++;
      else memories.push({ namespace, id });
      onMemory(soundCount + memories.length);
    }
  }
  return { tables, sessions, memories, soundCount };
}

/** Without the tables in which a full-text index keeps its data: its own check reads them. */
function tableNames(database: SqliteDatabase): string[] {
  const rows = database
    .prepare<[], { name: string }>(
      `SELECT name FROM pragma_table_list WHERE schema = 'main' AND type IN ('table', 'virtual') ORDER BY name`,
    )
    .all();
  return rows.map(({ name }) => name);
}

function problemOf(database: SqliteDatabase, table: string): string | undefined {
  try {
    const rows = database.prepare<[], { message: string }>(
      `SELECT integrity_check AS message FROM pragma_integrity_check('${table}') LIMIT 1`,
    );
    const message = rows.get()?.message ?? 'ok';
    return message === 'ok' ? undefined : message.replaceAll('\n', ' ');
  } catch (error) {
    if (!isPageDamage(error)) throw error;
    return error instanceof Error ? error.message : String(error);
  }
}

const NAMES = [
  'SELECT key, name FROM namespace NOT INDEXED',
  'SELECT key, name FROM namespace INDEXED BY sqlite_autoindex_namespace_1 ORDER BY name',
  `SELECT namespace_key AS key, id AS name FROM change_log AS made WHERE kind = ${CHANGE.namespaceCreated} AND id <> ''
     AND NOT EXISTS (SELECT 1 FROM change_log AS gone WHERE gone.namespace_key = made.namespace_key
       AND gone.kind = ${CHANGE.namespaceDeleted} AND gone.revision > made.revision)`,
] as const;

/** Namespaces by key: by the table, else by its index, else by the log, else by a name from the key. */
export function namespaceNames(database: SqliteDatabase): Map<number, string> {
  const names = new Map<number, string>();
  const [byTable, byIndex, byLog] = NAMES;
  if (readNames(database, byTable, names) || readNames(database, byIndex, names)) return names;
  // Compacted, the log lacks older namespaces.
  readNames(database, byLog, names);
  for (const key of namespaceKeysOfMemories(database)) if (!names.has(key)) names.set(key, `recovered-${key}`);
  return names;
}

/** Returns whether all were read. */
function readNames(database: SqliteDatabase, query: string, into: Map<number, string>): boolean {
  try {
    for (const { key, name } of database.prepare<[], { key: number; name: string }>(query).iterate()) {
      into.set(key, name);
    }
    return true;
  } catch (error) {
    if (!isPageDamage(error)) throw error;
    return false;
  }
}

function namespaceKeysOfMemories(database: SqliteDatabase): number[] {
  const keys: number[] = [];
  const next = database.prepare<[number], { pk: number }>(
    'SELECT pk FROM memory_body WHERE pk >= ? ORDER BY pk LIMIT 1',
  );
  try {
    for (let from = 0; ; ) {
      const pk = next.get(from)?.pk;
      if (pk === undefined) return keys;
      keys.push(namespaceKeyOf(pk));
      from = rowKeyRange(namespaceKeyOf(pk) + 1).first;
    }
  } catch (error) {
    if (!isPageDamage(error)) throw error;
    return keys;
  }
}

/** Whether every part of a memory can be read and has its checksum. */
export function isReadable(database: SqliteDatabase, namespace: string, pk: number): boolean {
  try {
    const row = readWholeRow(database, pk);
    if (!row) return false;
    memoryFromRow(namespace, row);
    return true;
  } catch (error) {
    if (isPageDamage(error) || isDamage(error)) return false;
    throw error;
  }
}
