import { databaseFileIn, openWritable } from '../../src/storage/sqlite/database.ts';
import type { RedisServer } from './redis-server.ts';

/** What is kept of a memory: its packed bytes, its text as it came, its vector, what recall ranks by of it, a former state. */
export type DamagedPart = 'packed' | 'text' | 'vector' | 'small' | 'former';

const COLUMNS: Readonly<Record<DamagedPart, readonly [table: string, column: string]>> = {
  packed: ['memory_body', 'packed'],
  text: ['memory_body', 'text'],
  vector: ['memory_vector', 'data'],
  small: ['memory_vector', 'small'],
  former: ['change_log', 'former'],
};
const FIELDS = { packed: 'packed', text: 't', vector: 'vector', small: 'small' } as const;

/** Turns over one bit in the middle of what the data folder has of a memory. */
export function damageInFolder(folder: string, id: string, part: DamagedPart = 'packed'): void {
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

/** KEYS[1]: a hash with the field ARGV[1], or a list. */
const TURN_BIT_OVER = `
local isList = ARGV[1] == ''
local value = isList and redis.call('LINDEX', KEYS[1], 0) or not isList and redis.call('HGET', KEYS[1], ARGV[1])
if not value then return 0 end
local at = math.floor(#value / 2) + 1
value = value:sub(1, at - 1) .. string.char(bit.bxor(value:byte(at), 1)) .. value:sub(at + 1)
if isList then redis.call('LSET', KEYS[1], 0, value) else redis.call('HSET', KEYS[1], ARGV[1], value) end
return 1`;

/** The same of what Redis has of a memory. */
export async function damageInRedis(redis: RedisServer, id: string, part: DamagedPart = 'packed'): Promise<void> {
  const hash = await keyOf(redis, id);
  const [key, field] = part === 'former' ? [hash.replace('}:m:', '}:h:'), ''] : [hash, FIELDS[part]];
  const done = await redis.command('EVAL', TURN_BIT_OVER, '1', key, field);
  if (done !== 1) throw new Error(`memory ${id} has no ${part} in Redis`);
}

async function keyOf(redis: RedisServer, id: string): Promise<string> {
  for (const key of (await redis.command('KEYS', '*}:m:*')) as string[]) {
    const [, known] = JSON.parse(String(await redis.command('HGET', key, 'd'))) as [layout: number, id: string];
    if (known === id) return key;
  }
  throw new Error(`memory ${id} is not in Redis`);
}
