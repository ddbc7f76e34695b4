import { databaseFileIn, openWritable } from '../../src/storage/sqlite/database.ts';

/** Stored parts of a memory: its packed bytes, its text, its vector, the one used for ranking, a former state. */
export type DamagedInFolder = 'packed' | 'text' | 'vector' | 'small' | 'former';

const COLUMNS: Readonly<Record<DamagedInFolder, readonly [table: string, column: string]>> = {
  packed: ['memory_body', 'packed'],
  text: ['memory_body', 'text'],
  vector: ['memory_vector', 'data'],
  small: ['memory_vector', 'small'],
  former: ['change_log', 'former'],
};
/** Flips one bit in the middle of a memory's part in the data folder. */
export function damageInFolder(folder: string, id: string, part: DamagedInFolder = 'packed'): void {
  const [table, column] = COLUMNS[part];
  const database = openWritable(databaseFileIn(folder));
  try {
    const row = database
      .prepare<[string], { at: number; value: Buffer | string }>(
        `SELECT part.rowid AS at, ${column} AS value FROM ${table} part JOIN memory ON memory.pk = part.pk
         WHERE memory.id = ? AND ${column} IS NOT NULL LIMIT 1`,
      )
      .get(id);
    if (!row) throw new Error(`memory ${id} has no ${part} in the folder`);
    const bytes = Buffer.from(row.value as string);
    const middle = bytes.length >> 1;
    bytes[middle] = (bytes[middle] ?? 0) ^ 1;
    const damaged = typeof row.value === 'string' ? bytes.toString() : bytes;
    database.prepare(`UPDATE ${table} SET ${column} = ? WHERE rowid = ?`).run(damaged, row.at);
  } finally {
    database.close();
  }
}
