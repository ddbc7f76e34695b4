import { existsSync } from 'node:fs';
import { checkSchema, createTables } from '../create-tables.ts';
import { databaseFileIn, openWritable, type SqliteDatabase } from '../database.ts';
import { FolderError, isPageDamage } from '../driver-error.ts';
import { lockFolder, refuseView } from '../folder.ts';
import { emptyLog, keepFile, keptFileIn, removeDatabase, replaceDatabase } from '../replace-database.ts';
import { type CopiedMemories, copyMemories } from './copy-memories.ts';
import { type DamagedSession, TABLES_OF_SESSIONS } from './lost-rows.ts';
import { salvageTable } from './salvage-table.ts';
import { isWhole, type Verification, verifyDatabase } from './verify.ts';

export interface RepairOptions {
  readonly folder: string;
  /** Data folder that is a copy of this one, from which lost memories are taken. */
  readonly backup?: string;
  readonly nowMs: number;
  /** Called before each step, whose name it gets; a test ends the process there. */
  readonly onStep?: (step: string) => void;
  /** Memories that are read, and then copied; `total` is known when all are read. */
  readonly onProgress?: (what: 'verifying' | 'copying', done: number, total?: number) => void;
}

export interface Repair extends CopiedMemories {
  /** True where nothing was damaged: the folder is unchanged then. */
  readonly wasWhole: boolean;
  /** Tables that may have lost rows. */
  readonly tables: readonly string[];
  /** Sessions that have lost contents: the rest is kept. */
  readonly sessions: readonly DamagedSession[];
  /** The damaged file, which is kept. */
  readonly keptFile: string;
}

const NOTHING: CopiedMemories = { copiedCount: 0, lost: [], restored: [], withoutVector: [], namespaces: [] };
/** Written from the memories. */
const DERIVED = new Set(['memory', 'memory_body', 'memory_vector', 'memory_tag', 'value_path', 'tier_total']);

/**
 * Copies what can be read into a new file beside the damaged one, makes the indexes anew and puts the new file in its
 * place by one rename. The process may be killed at any moment: until the rename the folder is as it was, afterwards it
 * is repaired; what an earlier run has left is removed. Fails with FolderError where the folder is in use or cannot be
 * repaired.
 */
export function repairFolder(options: RepairOptions): Repair {
  const { folder, nowMs, onStep = () => {} } = options;
  refuseView(folder, 'a damaged view is made anew when its server starts');
  const release = lockFolder(folder);
  try {
    const file = databaseFileIn(folder);
    if (!existsSync(file)) throw new FolderError(`data folder ${folder} has no mneme.db: nothing to repair`);
    onStep('begin');
    emptyDamagedLog(file, folder);
    const repaired = `${file}.repaired`;
    removeDatabase(repaired);
    const done = writeRepaired(file, repaired, options);
    onStep('written');
    if (done.wasWhole) {
      removeDatabase(repaired);
      return { ...done, keptFile: '' };
    }
    const keptFile = keptFileIn(folder, 'damaged', nowMs);
    keepFile(file, keptFile);
    onStep('kept');
    replaceDatabase(folder, repaired);
    onStep('renamed');
    return { ...done, keptFile };
  } finally {
    release();
  }
}

function emptyDamagedLog(file: string, folder: string): void {
  try {
    emptyLog(file);
  } catch (cause) {
    if (!isPageDamage(cause)) throw cause;
    const message = `data folder ${folder} cannot be repaired, since not even the list of its tables can be read: put a backup in its place`;
    throw new FolderError(message, { cause });
  }
}

function writeRepaired(file: string, repaired: string, options: RepairOptions): Omit<Repair, 'keptFile'> {
  const { backup, onProgress = () => {} } = options;
  const from = openWritable(file);
  try {
    from.pragma('query_only = ON');
    checkSchema(from, `data folder ${options.folder}`, 'repair it with the version that wrote it');
    const found = verifyDatabase(from, (done) => onProgress('verifying', done));
    const { sessions } = found;
    const total = found.soundCount + found.memories.length;
    if (isWhole(found)) return { ...NOTHING, wasWhole: true, tables: [], sessions };
    createTables(repaired);
    const to = openWritable(repaired);
    try {
      to.pragma('foreign_keys = OFF');
      const damagedTables = to.transaction(() => copyTables(from, to))();
      const copied = copyMemories(from, to, backup, (done) => onProgress('copying', done, total));
      to.transaction(() => mendSessions(to, sessions))();
      if (found.tables.some(({ name }) => name === 'change_log')) forgetLog(to);
      to.pragma('wal_checkpoint(TRUNCATE)');
      const tables = [...new Set([...damagedTables, ...lostTables(found)])];
      return { wasWhole: false, tables, sessions, ...copied };
    } finally {
      to.close();
    }
  } finally {
    from.close();
  }
}

/** Tables with rows that are in no page, and cannot be written from the memories. */
function lostTables({ tables }: Verification): string[] {
  return tables.map(({ name }) => name).filter((name) => name === 'change_log' || name === 'session');
}

function copyTables(from: SqliteDatabase, to: SqliteDatabase): string[] {
  const names = to
    .prepare<[], { name: string }>(
      `SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name`,
    )
    .all();
  return names.flatMap(({ name }) => (DERIVED.has(name) || salvageTable(from, to, name) ? [] : [name]));
}

/** Readers of a log with gaps would miss changes without knowing: they get REVISION_COMPACTED and begin anew. */
function forgetLog(to: SqliteDatabase): void {
  to.exec(`UPDATE meta SET value = (SELECT value FROM meta WHERE key = 'revision') WHERE key = 'compacted_revision'`);
}

/**
 * Makes the records of sessions agree with the rows that are left, so that reads answer again. Checkpoints that cannot
 * be restored, and contents without a session, are deleted.
 */
function mendSessions(to: SqliteDatabase, damaged: readonly DamagedSession[]): void {
  const ofCheckpoint = (table: string) =>
    to.prepare<[string, string, string]>(
      `DELETE FROM ${table} WHERE id = ? AND session_key = (SELECT key FROM session WHERE namespace = ? AND id = ?)`,
    );
  for (const { checkpoint, namespace, session } of damaged) {
    if (checkpoint === undefined) continue;
    for (const table of ['session_checkpoint', 'session_manifest']) {
      ofCheckpoint(table).run(checkpoint, namespace, session);
    }
  }
  for (const table of [...TABLES_OF_SESSIONS, 'session_change'])
    to.exec(`DELETE FROM ${table} WHERE session_key NOT IN (SELECT key FROM session)`);
  to.exec(`
    DELETE FROM session_erasure;
    UPDATE session SET (key_count, value_bytes) =
      (SELECT count(*), ifnull(sum(bytes), 0) FROM session_entry WHERE session_key = session.key);
    UPDATE session SET (note_count, note_bytes) =
      (SELECT count(*), ifnull(sum(length(data)), 0) FROM session_note WHERE session_key = session.key);
    UPDATE session SET (checkpoint_count, checkpoint_bytes) =
      (SELECT count(*), ifnull(sum(body ->> '$.storedBytes'), 0) FROM session_checkpoint WHERE session_key = session.key);
    UPDATE session SET head_checkpoint = '' WHERE NOT EXISTS
      (SELECT 1 FROM session_checkpoint WHERE session_key = session.key AND id = session.head_checkpoint);`);
}
