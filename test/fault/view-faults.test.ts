import { readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type ServiceError, status } from '@grpc/grpc-js';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { GetServerInfoRequest } from '../../gen/ts/mneme/v1/admin_service.ts';
import {
  BatchStoreMemoriesRequest,
  DeleteMemoryRequest,
  ListMemoriesRequest,
} from '../../gen/ts/mneme/v1/memory_service.ts';
import { SCHEMA_NUMBER } from '../../src/storage/sqlite/tables.ts';
import { ask } from '../server/grpc/support/ask.ts';
import { freshNamespace } from '../server/grpc/support/memories.ts';
import { PostgresServer } from '../support/postgres-server.ts';
import { opened, PATIENCE_MS, Replica } from './replicas.ts';

const replicas: Replica[] = [];
let postgres: PostgresServer;
let schemas = 0;

beforeAll(async () => {
  postgres = await PostgresServer.started({ parameters: { fsync: 'off' } });
}, 120_000);
afterEach(async () => {
  for (const replica of replicas.splice(0)) await replica.stop();
});
afterAll(async () => {
  await postgres.stop();
  postgres.remove();
});

async function two(more: Record<string, string> = {}): Promise<readonly [Replica, Replica, string]> {
  const schema = `view_faults_${++schemas}`;
  const env = { ...postgres.envOf(schema), ...more };
  const start = async (): Promise<Replica> => {
    const replica = await Replica.startWith(env);
    replicas.push(replica);
    return replica;
  };
  return [await start(), await start(), schema];
}

async function storeMany({ clients: { memories } }: Replica, parent: string, texts: readonly string[]): Promise<void> {
  const requests = texts.map((text) => ({ parent, memoryId: text, memory: { text } }));
  await ask(memories, memories.batchStoreMemories, BatchStoreMemoriesRequest.fromPartial({ parent, requests }));
}

const numbered = (count: number, from = 0) =>
  Array.from({ length: count }, (_, at) => `n${String(from + at).padStart(5, '0')}`);

/** A call that is answered although a part is lost must say so. */
async function listedAt({ clients: { memories } }: Replica, parent: string): Promise<string[] | 'lost'> {
  try {
    const request = ListMemoriesRequest.fromPartial({ parent, pageSize: 1000 });
    const { memories: listed, damaged } = await ask(memories, memories.listMemories, request);
    return damaged.length > 0 ? 'lost' : listed.map(({ text }) => text).sort();
  } catch (error) {
    const { code } = error as ServiceError;
    expect([status.UNAVAILABLE, status.DATA_LOSS]).toContain(code);
    return 'lost';
  }
}

describe('the view of a running server', () => {
  it.each(['deleted', 'truncated'])(
    'its file is %s › whole answers or none; the next start makes it anew',
    async (how) => {
      const [one, other] = await two();
      const parent = freshNamespace();
      const texts = numbered(300);
      await storeMany(one, parent, texts);
      expect(await one.texts(parent)).toEqual(texts);
      const file = join(one.data, 'mneme.db');
      if (how === 'truncated') await truncate(file, 5000);
      else for (const end of ['', '-wal', '-shm']) await rm(file + end, { force: true });
      for (let turn = 0; turn < 20; turn++) {
        // PostgreSQL owns what is stored, whichever server it came through.
        const text = `later${turn}`;
        await storeMany(turn % 2 === 0 ? other : one, parent, [text]).catch((error: ServiceError) => {
          expect([status.UNAVAILABLE, status.DATA_LOSS]).toContain(error.code);
          return storeMany(other, parent, [text]);
        });
        texts.push(text);
        const listed = await listedAt(one, parent);
        if (listed !== 'lost') expect(listed).toEqual([...texts].sort());
      }
      expect(await other.texts(parent)).toEqual([...texts].sort());
      await one.restart();
      expect(await one.texts(parent)).toEqual([...texts].sort());
    },
    120_000,
  );

  it('of another version › made anew at the start', async () => {
    const [one] = await two();
    const parent = freshNamespace();
    await storeMany(one, parent, numbered(20));
    expect(await one.texts(parent)).toHaveLength(20);
    await one.terminate();
    const mark = join(one.data, 'view.json');
    const made = JSON.parse(await readFile(mark, 'utf8')) as Record<string, unknown>;
    expect(made['schema']).toBe(SCHEMA_NUMBER);
    await writeFile(mark, JSON.stringify({ ...made, schema: SCHEMA_NUMBER - 1 }));
    await one.restart();
    expect(await one.texts(parent)).toEqual(numbered(20));
    expect(JSON.parse(await readFile(mark, 'utf8'))).toEqual(made);
  }, 120_000);
});

describe('a server that was asleep while the log was cut', () => {
  it('wakes up › has everything, nothing that was deleted, and its watches end with OUT_OF_RANGE', async () => {
    const small = { MNEME_MAX_LOG_COUNT: '1000', MNEME_LOG_COMPACTION_INTERVAL_MS: '100' };
    const [one, other, schema] = await two(small);
    const parent = freshNamespace();
    const texts = numbered(50);
    await storeMany(one, parent, texts);
    expect(await one.texts(parent)).toEqual(texts);
    const watching = await opened(one, { parent });
    one.freeze();
    const { memories } = other.clients;
    const name = `${parent}/memories/${texts[0]}`;
    await ask(memories, memories.deleteMemory, DeleteMemoryRequest.fromPartial({ name }));
    const later = numbered(900, 1000);
    await storeMany(other, parent, later);
    // Entries without memories that stay.
    for (let turn = 0; turn < 2; turn++) {
      const passing = numbered(450, 10_000 + turn * 1000);
      await storeMany(other, `${parent}-passing`, passing);
    }
    await isCut(schema, parent);
    one.thaw();
    const expected = [...texts.slice(1), ...later];
    expect(await one.texts(parent)).toEqual(expected);
    // A connection may not survive a long sleep: the watch then goes on by its token.
    const ended = await watching.outcome();
    const isLost = ended !== true && ended.code === status.UNAVAILABLE;
    const outcome = isLost ? one.watch({ parent, resumeToken: watching.token() }).outcome() : ended;
    expect(await outcome).toMatchObject({ code: status.OUT_OF_RANGE });
    const info = await ask(one.clients.admin, one.clients.admin.getServerInfo, GetServerInfoRequest.fromPartial({}));
    expect(info.degraded).toEqual([]);
  }, 180_000);
});

/** Resolves when the deletion, which follows the first entries, is not in the log any more. */
async function isCut(schema: string, parent: string): Promise<void> {
  const client = new Client(postgres.url);
  await client.connect();
  const endsAtMs = performance.now() + PATIENCE_MS;
  try {
    for (;;) {
      const sql = `SELECT 1 FROM ${schema}.namespace WHERE name = $1 AND log_start > revision + 60`;
      const { rows } = await client.query(sql, [parent.slice('namespaces/'.length)]);
      if (rows.length > 0) return;
      if (performance.now() > endsAtMs) throw new Error('the log was not cut');
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
  } finally {
    await client.end();
  }
}
