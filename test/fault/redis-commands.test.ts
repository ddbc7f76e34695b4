import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { FULL_RESOLUTION } from '../../src/memory/resolution/resolution.ts';
import { RedisMemoryStore } from '../../src/storage/redis/memory-store.ts';
import { openRedis } from '../../src/storage/redis/open-connection.ts';
import { newMemory } from '../support/new-memory.ts';
import { PATIENT_REDIS } from '../support/patient-redis.ts';
import { RedisServer } from '../support/redis-server.ts';

const SPACE = 'commands';
const MEMORIES = 3000;
const NOW_US = 1_800_000_000_000_000;
/** Commands of the client's connection setup, and of the test itself. */
const OF_CONNECTIONS = ['client', 'config', 'hello', 'info', 'ping', 'select'];
/** Each reads a bounded number of items. */
const OF_STORE = [
  ...['evalsha', 'eval', 'exists', 'get', 'mget', 'set', 'mset'],
  ...['hget', 'hset', 'hdel', 'hexists', 'hmget', 'del'],
  ...['xadd', 'xtrim', 'xrange', 'xinfo|stream', 'lrange', 'lpush', 'persist', 'pexpire'],
];

let server: RedisServer;
let store: RedisMemoryStore;
beforeAll(async () => {
  server = await RedisServer.started();
  const connection = await openRedis({ ...PATIENT_REDIS, urls: [server.url] });
  store = new RedisMemoryStore({ connection, prefix: 'mneme', idempotencyRetentionMs: 3_600_000 });
  for (let at = 0; at < MEMORIES; at += 100) await put(at, 100);
});
afterAll(async () => {
  await store.close();
  await server.stop();
});
beforeEach(() => server.command('CONFIG', 'RESETSTAT'));

async function put(first: number, count: number): Promise<void> {
  const memories = Array.from({ length: count }, (_, at) => memory(first + at));
  await store.store({ namespace: SPACE, memories, createNamespace: true, onConflict: 'fail', atUs: NOW_US });
}

const memory = (at: number) =>
  newMemory({
    id: `m${at}`,
    step: at,
    tags: [`tag-${at % 300}`],
    createdAtUs: NOW_US - at,
    scope: { project: '', agentType: '', agent: `agent-${at % 50}`, session: `session-${at}` },
    place: { location: `place-${at % 100}`, room: '', region: '', point: { x: at, y: 0 } },
    content: { mediaType: 'application/json', data: Buffer.from(JSON.stringify({ number: at % 200 })) },
  });

/** Number of calls of each command since the statistics were reset. */
async function calls(): Promise<ReadonlyMap<string, number>> {
  const report = String(await server.command('INFO', 'commandstats'));
  const lines = [...report.matchAll(/cmdstat_([^:]+):calls=(\d+)/g)];
  return new Map(lines.map(([, name = '', count]) => [name, Number(count)]));
}

describe('commands sent to Redis', () => {
  it('storing, reading, moving, deleting › no KEYS, no SCAN, no command that reads all data', async () => {
    await put(MEMORIES, 20);
    const ids = ['m1', 'm2', 'm3'];
    await store.find({ namespace: SPACE, ids, view: 'full' });
    await store.touch({ namespace: SPACE, ids, atUs: NOW_US });
    await store.update({ namespace: SPACE, id: 'm1', changes: { importance: 0.9 }, atUs: NOW_US });
    await store.move({ namespace: SPACE, ids, to: 'intermediate', resolution: FULL_RESOLUTION, atUs: NOW_US });
    await store.changes({ namespace: SPACE });
    const copies = await store.copies({ namespace: SPACE, ids });
    await store.release({ namespace: SPACE, copies });
    const { ownership } = await store.find({ namespace: SPACE, ids: [], view: 'metadata' });
    await store.adopt({ namespace: SPACE, copies, ownership });
    await store.delete({ namespace: SPACE, ids: ['m5'], cause: 'deleted', mustExist: true, atUs: NOW_US });

    const asked = [...(await calls()).keys()].filter((name) => !OF_CONNECTIONS.includes(name.split('|')[0] ?? ''));
    expect(asked.filter((name) => !OF_STORE.includes(name))).toEqual([]);
  });
});
