import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { MnemeError } from '../../../src/memory/errors.ts';
import { openRedis } from '../../../src/storage/redis/open-connection.ts';
import { RedisSessionStore } from '../../../src/storage/redis/sessions/session-store.ts';
import type { SessionOp, SessionStore } from '../../../src/storage/session-store.ts';
import { openSqliteStore } from '../../../src/storage/sqlite/memory-store.ts';
import { sqliteSessions } from '../../../src/storage/sqlite/sessions/session-store.ts';
import { sized } from '../../support/all-tests.ts';
import { PATIENT_REDIS } from '../../support/patient-redis.ts';
import { PostgresServer } from '../../support/postgres-server.ts';
import { openSessionsOfTest } from '../../support/postgres-sessions.ts';
import { seededRandom, type TestRandom } from '../../support/random.ts';
import { RedisServer } from '../../support/redis-server.ts';
import { reusedThreads } from '../../support/reused-threads.ts';
import { InMemorySeenKeyspaces } from '../in-memory/scope-policies.ts';
import { InMemoryLifecycleEvents, InMemorySessionStore } from '../in-memory/sessions/session-store.ts';
import {
  append,
  checkpoint,
  HERE,
  LIMITS,
  NOW_US,
  notesOf,
  set,
  valuesOf,
  write,
} from './session-store/session-of-test.ts';

const WRITES = sized({ sample: 150, nightly: 400 });
const SMALL = { ...LIMITS, keysMax: 12, valueBytesMax: 300, notesMax: 6, checkpointsMax: 4, changesMax: 40 };

const idempotencyRetentionMs = 3_600_000;
const closers: (() => Promise<unknown>)[] = [];

async function backends(): Promise<SessionStore[]> {
  const folder = await mkdtemp(join(tmpdir(), 'mneme-property-'));
  closers.push(() => rm(folder, { recursive: true }));
  const memories = await openSqliteStore({ folder, writerThreads: reusedThreads().writer });
  closers.push(() => memories.close());
  await memories.write({ kind: 'createNamespace', name: HERE.namespace, description: '', memoryLimit: 0, atUs: 1 });
  const server = await RedisServer.started();
  closers.push(() => server.stop());
  const redis = await openRedis({ ...PATIENT_REDIS, urls: [server.url] });
  closers.push(() => redis.close());
  const options = {
    prefix: 'p',
    pollMs: 1000,
    retentionMs: 1000,
    checkNamespace: async () => ({ createdAtUs: 0 }),
    seen: new InMemorySeenKeyspaces(),
    lossHoldMs: 60_000,
  };
  const postgres = await PostgresServer.started({ parameters: { fsync: 'off' } });
  closers.push(async () => {
    await postgres.stop();
    postgres.remove();
  });
  const inPostgres = await openSessionsOfTest({ url: postgres.url });
  closers.push(() => inPostgres.close());
  return [
    new InMemorySessionStore({ idempotencyRetentionMs, events: new InMemoryLifecycleEvents() }),
    sqliteSessions(memories),
    new RedisSessionStore(redis, options),
    inPostgres.sessions,
  ];
}

/** Clocks go forward, stand still and jump back. */
function nextTime(random: TestRandom, atUs: number): number {
  return random.chance(0.1) ? atUs - random.int(50) : atUs + random.int(20);
}

function randomOp(random: TestRandom, atUs: number): SessionOp {
  const key = `k${random.int(16)}`;
  const id = `c${random.int(6)}`;
  const expiry = random.pick([
    { kind: 'default' } as const,
    { kind: 'never' } as const,
    { kind: 'keep' } as const,
    { kind: 'at', atUs: atUs + 1 + random.int(100) } as const,
  ]);
  const version = random.chance(0.1) ? { ifVersion: random.int(20) } : {};
  const task = { taskId: 't', description: '', status: 'pending', detail: '', currentStep: 0, totalSteps: 5 } as const;
  switch (random.int(13)) {
    case 0:
      return { kind: 'delete', key, ...version };
    case 1:
      return { kind: 'touch', key, expiry, ...version };
    case 2:
      return {
        kind: 'clear',
        values: random.chance(0.5),
        task: random.chance(0.5),
        notes: random.chance(0.5),
        checkpoints: random.chance(0.1),
      };
    case 3:
      return { kind: 'setTask', task: { ...task, progressPercent: random.int(150) } };
    case 4:
      return { kind: 'patchTask', patch: { currentStep: random.int(7) } };
    case 5:
      return append(...Array.from({ length: random.int(4) }, () => `n${random.int(1000)}`));
    case 6:
      return checkpoint(id, random.chance(0.3) ? { expiresAtUs: atUs + 1 + random.int(200) } : {});
    case 7:
    case 8:
      return { kind: 'restore', id, mode: random.pick(['replace', 'merge'] as const) };
    case 9:
      return { kind: 'dropCheckpoint', id };
    default:
      return set(key, 'v'.repeat(random.int(40)), { expiry, ...version });
  }
}

/** The visible state of a session. */
async function seen(store: SessionStore, nowUs: number): Promise<unknown> {
  const { revision, entries } = await store.list({ ...HERE, limit: 100, bytesMax: 1e6, withValues: false, nowUs });
  return {
    revision,
    entries,
    values: await valuesOf(store, { nowUs }),
    notes: await notesOf(store),
    statistics: await store.statistics(HERE, nowUs),
    checkpoints: await store.checkpoints({ ...HERE, limit: 100, nowUs }),
    snapshotTask: (await store.snapshot({ ...HERE, nowUs }))?.task,
    changes: await store.changes({ ...HERE, afterRevision: Math.max(0, revision - 5), limit: 1000 }),
  };
}

async function outcomeOn(store: SessionStore, ops: readonly SessionOp[], atUs: number): Promise<unknown> {
  try {
    return await write(store, ops, { atUs, limits: SMALL });
  } catch (error) {
    if (error instanceof MnemeError) return { reason: error.reason, metadata: error.metadata };
    throw error;
  }
}

test('random writes have the same outcomes and leave the same session on every backend', async () => {
  const random = seededRandom('session property');
  try {
    const stores = await backends();
    let atUs = NOW_US;
    for (let at = 0; at < WRITES; at++) {
      atUs = nextTime(random, atUs);
      const drawn = Array.from({ length: 1 + random.int(3) }, () => randomOp(random, atUs));
      const first = drawn.findIndex(({ kind }) => kind === 'checkpoint');
      // A write makes one checkpoint at most.
      const ops = drawn.filter(({ kind }, index) => kind !== 'checkpoint' || index === first);
      const [reference, ...others] = await Promise.all(stores.map((store) => outcomeOn(store, ops, atUs)));
      for (const outcome of others) expect({ at, ops, outcome }).toEqual({ at, ops, outcome: reference });
      if (random.chance(0.1)) {
        const erased = await Promise.all(stores.map((store) => store.eraseExpired({ nowUs: atUs, limit: 1000 })));
        expect(new Set(erased.map(({ erasedCount }) => erasedCount)).size).toBe(1);
      }
      const [expected, ...found] = await Promise.all(stores.map((store) => seen(store, atUs)));
      for (const state of found) expect({ at, ops, state }).toEqual({ at, ops, state: expected });
    }
    await Promise.all(stores.map((store) => store.close()));
  } finally {
    for (const close of closers.splice(0).reverse()) await close();
  }
}, 240_000);
