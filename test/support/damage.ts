import { databaseFileIn, openWritable } from '../../src/storage/sqlite/database.ts';
import type { RedisServer } from './redis-server.ts';

/** Stored parts of a memory: its packed bytes, its text, its vector, a former state. */
export type DamagedPart = 'packed' | 'text' | 'vector' | 'former';
/** In the folder also the vector used for ranking. */
export type DamagedInFolder = DamagedPart | 'small';

const COLUMNS: Readonly<Record<DamagedInFolder, readonly [table: string, column: string]>> = {
  packed: ['memory_body', 'packed'],
  text: ['memory_body', 'text'],
  vector: ['memory_vector', 'data'],
  small: ['memory_vector', 'small'],
  former: ['change_log', 'former'],
};
/** Its location in Redis, and the byte to damage: counted from the end where it is negative. */
const STRINGS: Readonly<Record<DamagedPart | 'fields', readonly [key: string, at: number]>> = {
  packed: ['e', -1],
  text: ['e', -1],
  vector: ['u', 2],
  fields: ['e', 20],
  former: ['h', 20],
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

/**
 * KEYS[1]: a string, or a list whose first element is used. ARGV: index of the byte, from 0, or from the end if
 * negative.
 */
const TURN_BIT_OVER = `
local isList = redis.call('TYPE', KEYS[1]).ok == 'list'
local value = isList and redis.call('LINDEX', KEYS[1], 0) or redis.call('GET', KEYS[1])
if not value then return 0 end
local at = tonumber(ARGV[1])
at = at < 0 and #value + at + 1 or at + 1
value = value:sub(1, at - 1) .. string.char(bit.bxor(value:byte(at), 1)) .. value:sub(at + 1)
if isList then redis.call('LSET', KEYS[1], 0, value) else redis.call('SET', KEYS[1], value) end
return 1`;

/** The same for a memory's part in Redis. */
export async function damageInRedis(
  redis: RedisServer,
  id: string,
  part: keyof typeof STRINGS = 'packed',
): Promise<void> {
  const [name, at] = STRINGS[part];
  const done = await redis.command('EVAL', TURN_BIT_OVER, '1', await keyInRedis(redis, id, name), `${at}`);
  if (done !== 1) throw new Error(`memory ${id} has no ${part} in Redis`);
}

/** The key of a part of a memory: of its entry unless another is asked for. */
export async function keyInRedis(redis: RedisServer, id: string, name = 'e'): Promise<string> {
  for (const ids of ((await redis.command('KEYS', '*}:ids')) as unknown[]).map(String)) {
    // The revision is behind the number.
    const value = (await redis.command('HGET', ids, id)) as string | null;
    if (value !== null) return `${ids.slice(0, -'ids'.length)}${name}:${value.slice(0, 10)}`;
  }
  throw new Error(`memory ${id} is not in Redis`);
}
