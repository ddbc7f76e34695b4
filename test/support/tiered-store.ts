import { deepEqual } from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../src/memory/clock.ts';
import type { Memory } from '../../src/memory/memory.ts';
import type { HotLoss } from '../../src/storage/hot-log.ts';
import type { HotStore } from '../../src/storage/mirror-store.ts';
import { readDurability } from '../../src/storage/redis/durability.ts';
import { LOG_LENGTHS, type LogLengths } from '../../src/storage/redis/log-commands.ts';
import { RedisMemoryStore } from '../../src/storage/redis/memory-store.ts';
import { openRedis } from '../../src/storage/redis/open-connection.ts';
import { openSqliteStore } from '../../src/storage/sqlite/memory-store.ts';
import type { SqliteStreams } from '../../src/storage/sqlite/streams.ts';
import { TieredMemoryStore, type TieredOptions } from '../../src/storage/tiered/memory-store.ts';
import { PATIENT_REDIS } from './patient-redis.ts';
import { reusedThreads } from './reused-threads.ts';

export interface TieredStoreOfTest {
  readonly store: TieredMemoryStore;
  readonly hot: RedisMemoryStore;
  readonly cold: TieredOptions['cold'];
  /** The change log of the copies. */
  readonly streams: SqliteStreams;
  /** Losses that the store reported, such as `space flushed`. */
  readonly losses: string[];
  readonly failures: unknown[];
  close(): Promise<void>;
}

export interface TieredSettings {
  readonly folder: string;
  readonly urls: readonly string[];
  readonly commandTimeoutMs?: number;
  readonly logLengths?: LogLengths;
  /** Absent: whether the Redis was reliable when the store was opened. */
  readonly mayLag?: () => boolean;
  readonly onDelete?: (namespace: string) => Promise<void>;
  readonly policies?: TieredOptions['policies'];
  /** Replaces a part of the store, for example to let it fail. */
  readonly around?: (stores: { hot: HotStore; cold: TieredOptions['cold'] }) => Pick<TieredOptions, 'hot' | 'cold'>;
}

/** A store over a Redis and a data folder, put together as the server does it. */
export async function openTieredStore(settings: TieredSettings): Promise<TieredStoreOfTest> {
  const { folder, urls, commandTimeoutMs = PATIENT_REDIS.commandTimeoutMs, around = (stores) => stores } = settings;
  const idempotencyRetentionMs = 3_600_000;
  const cold = await openSqliteStore({ folder, writerThreads: reusedThreads().writer, idempotencyRetentionMs });
  const connection = await openRedis({ ...PATIENT_REDIS, urls, commandTimeoutMs });
  const revisionFloor = () => cold.revision;
  const hot = new RedisMemoryStore({
    connection,
    prefix: 'mneme',
    idempotencyRetentionMs,
    revisionFloor,
    isRecovered: true,
    onLoss: (namespace) => store.follower.wake(namespace),
    logLengths: settings.logLengths ?? LOG_LENGTHS,
  });
  const { isReliable } = await readDurability(connection);
  const losses: string[] = [];
  const failures: unknown[] = [];
  const store = new TieredMemoryStore({
    ...around({ hot, cold }),
    clock: systemClock,
    mayLag: settings.mayLag ?? (() => isReliable),
    ...(settings.onDelete && { onDelete: settings.onDelete }),
    ...(settings.policies && { policies: settings.policies }),
    onLoss: (namespace: string, loss: HotLoss) => losses.push(`${namespace} ${loss}`),
    onFailure: (_namespace, error) => failures.push(error),
  });
  const close = async () => {
    await store.close();
    await hot.close();
    await cold.close();
  };
  return { store, hot, cold, streams: cold.streams, losses, failures, close };
}

/** For conformance suites: a store in a new folder, without losses and failures. */
export async function tieredStoreForSuite(settings: Omit<TieredSettings, 'folder'>) {
  const folder = await mkdtemp(join(tmpdir(), 'mneme-tiered-'));
  const { store, losses, failures, close } = await openTieredStore({ ...settings, folder });
  return {
    store,
    tiers: store.tiers,
    close: async () => {
      await close();
      await rm(folder, { recursive: true });
      deepEqual([losses, failures], [[], []]);
    },
  };
}

/** Ids of the hot store's memories of a namespace, in order. */
export async function heldIds(hot: Pick<HotStore, 'allIds'>, namespace: string): Promise<string[]> {
  const ids: string[] = [];
  for await (const id of hot.allIds(namespace)) ids.push(id);
  return ids.sort();
}

/** A memory of the hot store, complete. */
export async function heldMemory(
  hot: Pick<HotStore, 'find'>,
  namespace: string,
  id: string,
): Promise<Memory | undefined> {
  return (await hot.find({ namespace, ids: [id], view: 'full' })).memories.get(id);
}
