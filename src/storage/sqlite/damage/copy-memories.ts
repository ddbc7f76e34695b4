import { isDamage } from '../../../memory/errors.ts';
import { CHANGE, readSettledRevision } from '../change-log.ts';
import { addUpkeepOf, writeTags } from '../change-memory.ts';
import { Changes } from '../changes.ts';
import { openReadOnly, type SqliteDatabase } from '../database.ts';
import { isPageDamage } from '../driver-error.ts';
import { readWholeRow, rowByKey } from '../memory-rows.ts';
import { memoryFromRow, stateNumber } from '../rows.ts';
import { rowKeyRange, sequenceOf } from '../schema.ts';
import { censusOf } from './census.ts';
import { type DamagedMemory, namespaceNames } from './verify.ts';

/** What became of the memories of a damaged file. */
export interface CopiedMemories {
  readonly copiedCount: number;
  /** In neither file. */
  readonly lost: readonly DamagedMemory[];
  /** Taken from the backup, as they were there. */
  readonly restored: readonly DamagedMemory[];
  /** Without their vectors, which are to be computed again. */
  readonly withoutVector: readonly DamagedMemory[];
  /** Namespaces whose settings are lost. */
  readonly namespaces: readonly string[];
}

const AT_ONCE = 500;

/** Copies every memory that is as it was stored, takes others from a backup, and writes the indexes of all. */
export function copyMemories(
  from: SqliteDatabase,
  to: SqliteDatabase,
  backupFolder: string | undefined,
  onMemories: (done: number) => void,
): CopiedMemories {
  const backup = backupFolder === undefined ? undefined : openReadOnly(backupFolder);
  try {
    const { names, lostSettings } = to.transaction(() => restoreNamespaces(from, to))();
    to.transaction(() => completeMeta(to))();
    const copy = new MemoryCopy(from, to, backup);
    for (const [key, name] of names) copy.namespace(key, name, onMemories);
    to.transaction(() => completeMeta(to))();
    return { ...copy.result, namespaces: lostSettings };
  } finally {
    backup?.close();
  }
}

/** The newest revision is never below one that is in use. */
function completeMeta(to: SqliteDatabase): void {
  to.exec(`
    UPDATE meta SET value = max(value, (SELECT ifnull(max(revision), 0) FROM change_log),
      (SELECT ifnull(max(revision), 0) FROM memory)) WHERE key = 'revision';
    DELETE FROM meta WHERE key IN ('written_words', 'written_values');
    DELETE FROM embedding_queue WHERE pk NOT IN (SELECT pk FROM memory);`);
}

type Raw = Record<string, unknown>;

/** The rows of a memory in one file. */
interface Rows {
  readonly memory: Raw;
  readonly body: Raw;
  /** Absent: there is none, or it is damaged. */
  readonly vector: Raw | undefined;
}

class MemoryCopy {
  readonly result = {
    copiedCount: 0,
    lost: [] as DamagedMemory[],
    restored: [] as DamagedMemory[],
    withoutVector: [] as DamagedMemory[],
  };
  private readonly from: SqliteDatabase;
  private readonly to: SqliteDatabase;
  private readonly backup: SqliteDatabase | undefined;
  private readonly changes: Changes;
  /** Memories whose upkeep the server writes at its start; see `upkeep.ts`. */
  private readonly unsettled: ReadonlySet<number>;

  constructor(from: SqliteDatabase, to: SqliteDatabase, backup: SqliteDatabase | undefined) {
    this.from = from;
    this.to = to;
    this.backup = backup;
    this.changes = new Changes(to, 'repair');
    const stored = to.prepare<[number], { pk: number }>(
      `SELECT pk FROM change_log WHERE revision > ? AND kind = ${CHANGE.stored}`,
    );
    this.unsettled = new Set(stored.all(readSettledRevision(to)).map(({ pk }) => pk));
  }

  namespace(key: number, name: string, onMemories: (done: number) => void): void {
    const ids = [...censusOf(this.from, key).ids];
    const setNext = this.to.prepare('UPDATE namespace SET next_sequence = max(next_sequence, ?) WHERE key = ?');
    for (let start = 0; start < ids.length; start += AT_ONCE) {
      const some = ids.slice(start, start + AT_ONCE);
      this.to.transaction(() => {
        for (const [pk, id = ''] of some) this.memory(name, pk, id);
        // Writes what waits.
        this.changes.upkeep.begin('all');
      })();
      onMemories(this.result.copiedCount + this.result.lost.length + this.result.restored.length);
    }
    const last = ids.at(-1)?.[0] ?? rowKeyRange(key).first;
    setNext.run(sequenceOf(last) + 1, key);
  }

  private memory(namespace: string, pk: number, id: string): void {
    const own = soundRows(this.from, namespace, pk);
    const rows = own ?? (this.backup && soundRows(this.backup, namespace, pk, id));
    if (!rows) {
      this.result.lost.push({ namespace, id });
      return;
    }
    const name = { namespace, id: String(rows.memory['id']) };
    if (own) this.result.copiedCount++;
    else this.result.restored.push(name);
    const isVectorLost = rows.memory['embedding_state'] === stateNumber('there') && !rows.vector;
    if (isVectorLost) this.result.withoutVector.push(name);
    this.write(namespace, pk, rows, isVectorLost);
  }

  private write(namespace: string, pk: number, { memory, body, vector }: Rows, isVectorLost: boolean): void {
    const { to, changes } = this;
    const isSettled = !this.unsettled.has(pk);
    const state = isVectorLost ? { embedding_state: stateNumber('pending') } : {};
    // Settled with the upkeep below.
    insert(to, 'memory', { ...memory, ...state, is_settled: 0 });
    insert(to, 'memory_body', body);
    if (vector) insert(to, 'memory_vector', vector);
    if (isVectorLost) insert(to, 'embedding_queue', { pk, attempts: 0, not_before_us: 0 });
    const row = rowByKey(to).get({ pk });
    if (!row) throw new Error(`memory ${pk} was not written`);
    const whole = memoryFromRow(namespace, row);
    const namespace_key = Number(memory['namespace_key']);
    writeTags(changes, namespace_key, pk, whole.tags);
    const { tier, agent, type, content_bytes } = memory as {
      tier: number;
      agent: string;
      type: string;
      content_bytes: number;
    };
    if (isSettled) addUpkeepOf(changes, pk, whole, { namespace_key, tier, agent, type, content_bytes });
  }
}

/** The rows of a memory whose text and content are as they were stored; with `id`, only if it is that memory. */
function soundRows(database: SqliteDatabase, namespace: string, pk: number, id?: string): Rows | undefined {
  try {
    const row = rowByKey(database).get({ pk });
    if (!row || (id !== undefined && row.id !== id)) return undefined;
    memoryFromRow(namespace, row);
    const memory = rawRow(database, 'memory', pk);
    const body = rawRow(database, 'memory_body', pk);
    return memory && body && { memory, body, vector: soundVector(database, namespace, pk) };
  } catch (error) {
    if (isPageDamage(error) || isDamage(error)) return undefined;
    throw error;
  }
}

function soundVector(database: SqliteDatabase, namespace: string, pk: number): Raw | undefined {
  try {
    const row = readWholeRow(database, pk);
    if (!row?.vector) return undefined;
    memoryFromRow(namespace, row);
    return rawRow(database, 'memory_vector', pk) ?? rawRow(database, 'memory_vector', -pk);
  } catch (error) {
    if (isPageDamage(error) || isDamage(error)) return undefined;
    throw error;
  }
}

function rawRow(database: SqliteDatabase, table: string, pk: number): Raw | undefined {
  return database.prepare<[number], Raw>(`SELECT * FROM ${table} WHERE pk = ?`).get(pk);
}

function insert(database: SqliteDatabase, table: string, row: Raw): void {
  const names = Object.keys(row);
  const statement = database.prepare(
    `INSERT OR REPLACE INTO ${table}(${names.join()}) VALUES (${names.map(() => '?').join()})`,
  );
  statement.run(Object.values(row));
}

/**
 * Completes the namespaces of a repaired file: those whose rows are lost get the name that the index of names or the log
 * still has, and the usual settings.
 */
function restoreNamespaces(
  from: SqliteDatabase,
  to: SqliteDatabase,
): { names: ReadonlyMap<number, string>; lostSettings: readonly string[] } {
  const known = to.prepare<[number], { name: string }>('SELECT name FROM namespace WHERE key = ?');
  const insert = to.prepare(
    `INSERT INTO namespace(key, name, description, memory_limit, embedding_model, embedding_dimension, next_sequence,
       created_at_us, updated_at_us, revision) VALUES (?, ?, '', 0, '', 0, 1, 0, 0, 0)`,
  );
  const names = new Map<number, string>();
  const lostSettings: string[] = [];
  for (const [key, found] of namespaceNames(from)) {
    const own = known.get(key)?.name;
    names.set(key, own ?? found);
    if (own !== undefined) continue;
    insert.run(key, found);
    lostSettings.push(found);
  }
  return { names, lostSettings };
}
