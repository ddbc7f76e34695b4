import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import Database from 'better-sqlite3';
import { sql } from '#kysely';
import { openRedis } from '../../../src/storage/redis/open-connection.ts';
import { RedisSessionStore } from '../../../src/storage/redis/sessions/session-store.ts';
import type { SessionStore } from '../../../src/storage/session-store.ts';
import { databaseFileIn } from '../../../src/storage/sqlite/database.ts';
import { openSqliteStore } from '../../../src/storage/sqlite/memory-store.ts';
import { sqliteSessions } from '../../../src/storage/sqlite/sessions/session-store.ts';
import { PATIENT_REDIS } from '../../support/patient-redis.ts';
import { PostgresServer } from '../../support/postgres-server.ts';
import { openSessionsOfTest } from '../../support/postgres-sessions.ts';
import { RedisServer } from '../../support/redis-server.ts';
import { reusedThreads } from '../../support/reused-threads.ts';
import { InMemorySeenKeyspaces } from '../in-memory/scope-policies.ts';
import { act, append, checkpoint, HERE, NOW_US, set, valuesOf, write } from './session-store/session-of-test.ts';

interface Opened {
  readonly store: SessionStore;
  /** Deletes data that lists of checkpoints and statistics must not need, without the store. */
  drop(what: 'bodies' | 'values and notes'): Promise<void>;
  close(): Promise<void>;
}

const BACKENDS: readonly [string, () => Promise<Opened>][] = [
  ['sqlite', openSqlite],
  ['redis', openInRedis],
  ['postgres', openInPostgres],
];

describe.each(BACKENDS)('sessions in %s', (_, open) => {
  let opened: Opened;
  let store: SessionStore;
  beforeEach(async () => {
    opened = await open();
    store = opened.store;
  });
  afterEach(() => opened.close());

  it('checkpoints are listed › without their bodies, which may even be missing; restoring reports the damage', async () => {
    await write(store, [set('k', 'v'), append('n'), checkpoint('c1')]);
    await act(store, checkpoint('c2'));
    await opened.drop('bodies');

    const listed = await store.checkpoints({ ...HERE, limit: 9, nowUs: NOW_US });
    expect(listed).toMatchObject([
      { id: 'c2', keyCount: 1 },
      { id: 'c1', keyCount: 1 },
    ]);
    expect(await store.checkpoint({ ...HERE, id: 'c1', nowUs: NOW_US })).toMatchObject({ id: 'c1', keyCount: 1 });
    const body = store.snapshot({ ...HERE, checkpoint: 'c1', nowUs: NOW_US });
    await expect(body).rejects.toMatchObject({ reason: 'CHECKSUM_MISMATCH' });
    const restored = act(store, { kind: 'restore', id: 'c1', mode: 'replace' });
    await expect(restored).rejects.toMatchObject({ reason: 'CHECKSUM_MISMATCH' });
    expect(await valuesOf(store)).toEqual({ k: 'v' });
  });

  it('statistics › come from counters: nothing that is counted is read', async () => {
    const keys = Array.from({ length: 300 }, (__, at) => set(`k${at}`, 'v'));
    await write(store, [...keys, append('a', 'bc'), checkpoint('c1')]);
    const before = await store.statistics(HERE, NOW_US);
    await opened.drop('bodies');
    await opened.drop('values and notes');

    const left = await valuesOf(store).catch((error: unknown) => error);
    expect(left).not.toHaveProperty('k0');
    expect(before).toMatchObject({ keyCount: 300, noteCount: 2, noteBytes: 3, checkpointCount: 1 });
    expect(await store.statistics(HERE, NOW_US)).toEqual(before);
  });
});

async function openSqlite(): Promise<Opened> {
  const folder = await mkdtemp(join(tmpdir(), 'mneme-economy-'));
  const memories = await openSqliteStore({
    folder,
    writerThreads: reusedThreads().writer,
    idempotencyRetentionMs: 3_600_000,
  });
  await memories.write({ kind: 'createNamespace', name: HERE.namespace, description: '', memoryLimit: 0, atUs: 1 });
  return {
    store: sqliteSessions(memories),
    async drop(what) {
      const tables = what === 'bodies' ? ['session_manifest', 'session_pack'] : ['session_entry', 'session_note'];
      const database = new Database(databaseFileIn(folder));
      for (const table of tables) database.exec(`DELETE FROM ${table}`);
      database.close();
      // Reads use the state at the last write of the store.
      memories.renewReads();
    },
    async close() {
      await memories.close();
      await rm(folder, { recursive: true });
    },
  };
}

async function openInRedis(): Promise<Opened> {
  const server = await RedisServer.started();
  const connection = await openRedis({ ...PATIENT_REDIS, urls: [server.url] });
  const store = new RedisSessionStore(connection, {
    prefix: 'economy',
    pollMs: 60_000,
    retentionMs: 3_600_000,
    checkNamespace: async () => ({ createdAtUs: 0 }),
    seen: new InMemorySeenKeyspaces(),
    lossHoldMs: 60_000,
  });
  return {
    store,
    async drop(what) {
      const dropped = what === 'bodies' ? /:(packs|manifests)$/ : /:(entries|notes)$/;
      const all = ((await server.command('KEYS', '*')) as string[]).filter((key) => dropped.test(key));
      if (all.length !== 2) throw new Error(`not two keys: ${all.join(' ')}`);
      await server.command('DEL', ...all);
    },
    async close() {
      await store.close();
      await connection.close();
      await server.stop();
    },
  };
}

async function openInPostgres(): Promise<Opened> {
  const server = await PostgresServer.started({ parameters: { fsync: 'off' } });
  const { sessions: store, records, close } = await openSessionsOfTest({ url: server.url });
  return {
    store,
    async drop(what) {
      const tables = what === 'bodies' ? ['session_manifest', 'session_pack'] : ['session_entry', 'session_note'];
      await records.core.database.read((session) => session.run(sql.raw(`TRUNCATE ${tables.join()}`)));
    },
    async close() {
      await close();
      await server.stop();
      server.remove();
    },
  };
}
