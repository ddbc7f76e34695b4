import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect } from '@jest/globals';
import { RedisServer } from '../support/redis-server.ts';
import { openTieredStore } from '../support/tiered-store.ts';
import { memoryStoreSuite } from './memory-store.suite.ts';
import { tierStoreSuite } from './tier-store.suite.ts';

let server: RedisServer;
beforeAll(async () => {
  server = await RedisServer.started();
});
beforeEach(() => server.command('FLUSHALL'));
afterAll(() => server.stop());

async function create() {
  const folder = await mkdtemp(join(tmpdir(), 'mneme-tiered-'));
  const { store, losses, failures, close } = await openTieredStore({ folder, urls: [server.url] });
  return {
    store,
    tiers: store.tiers,
    close: async () => {
      await close();
      await rm(folder, { recursive: true });
      expect([losses, failures]).toEqual([[], []]);
    },
  };
}

memoryStoreSuite({ name: 'redis over sqlite', create });
tierStoreSuite({ name: 'redis over sqlite', create });
