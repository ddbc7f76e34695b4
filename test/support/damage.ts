import { databaseFileIn, openWritable } from '../../src/storage/sqlite/database.ts';
import type { RedisServer } from './redis-server.ts';

/** Turns over one bit in the middle of the packed bytes that the data folder has of a memory. */
export function damageInFolder(folder: string, id: string): void {
  const database = openWritable(databaseFileIn(folder));
  try {
    const row = database
      .prepare<[string], { pk: number; packed: Buffer }>(
        'SELECT memory.pk, packed FROM memory_body JOIN memory ON memory.pk = memory_body.pk WHERE memory.id = ? AND packed IS NOT NULL',
      )
      .get(id);
    if (!row) throw new Error(`memory ${id} has no packed bytes in the folder`);
    const at = row.packed.length >> 1;
    const packed = Buffer.from(row.packed.with(at, (row.packed[at] ?? 0) ^ 8));
    database.prepare('UPDATE memory_body SET packed = ? WHERE pk = ?').run(packed, row.pk);
  } finally {
    database.close();
  }
}

/** Puts other bytes in the place of those that Redis has packed of a memory. */
export async function damageInRedis(redis: RedisServer, id: string): Promise<void> {
  for (const key of (await redis.command('KEYS', '*')) as string[]) {
    if ((await redis.command('TYPE', key)) !== 'hash') continue;
    if ((await redis.command('HEXISTS', key, 'packed')) !== 1) continue;
    const [, known] = JSON.parse(String(await redis.command('HGET', key, 'd'))) as [layout: number, id: string];
    if (known !== id) continue;
    await redis.command('HSET', key, 'packed', 'other bytes');
    return;
  }
  throw new Error(`memory ${id} has no packed bytes in Redis`);
}

/** Turns over one bit of the text, kept as it came, that the data folder has of a memory. */
export function damageTextInFolder(folder: string, id: string): void {
  const database = openWritable(databaseFileIn(folder));
  try {
    const row = database
      .prepare<[string], { pk: number; text: string }>(
        'SELECT memory.pk, text FROM memory_body JOIN memory ON memory.pk = memory_body.pk WHERE memory.id = ?',
      )
      .get(id);
    if (!row) throw new Error(`memory ${id} is not in the folder`);
    database.prepare('UPDATE memory_body SET text = ? WHERE pk = ?').run(flipped(row.text), row.pk);
  } finally {
    database.close();
  }
}

/** The same of the text that Redis has of a memory. */
export async function damageTextInRedis(redis: RedisServer, id: string): Promise<void> {
  for (const key of (await redis.command('KEYS', '*')) as string[]) {
    if ((await redis.command('TYPE', key)) !== 'hash') continue;
    const text = (await redis.command('HGET', key, 't')) as string | null;
    if (text === null) continue;
    const [, known] = JSON.parse(String(await redis.command('HGET', key, 'd'))) as [layout: number, id: string];
    if (known !== id) continue;
    await redis.command('HSET', key, 't', flipped(text));
    return;
  }
  throw new Error(`memory ${id} is not in Redis`);
}

function flipped(text: string): string {
  return String.fromCharCode(text.charCodeAt(0) ^ 1) + text.slice(1);
}
