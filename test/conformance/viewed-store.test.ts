import { afterAll, beforeAll } from '@jest/globals';
import { PostgresServer } from '../support/postgres-server.ts';
import { openViewedStore, viewedStoreForSuite } from '../support/viewed-store.ts';
import { changeLogSuite } from './change-log.suite.ts';
import { memoryStoreSuite } from './memory-store.suite.ts';
import { tierStoreSuite } from './tier-store.suite.ts';

let server: PostgresServer;
beforeAll(async () => {
  server = await PostgresServer.started({ version: 18, parameters: { fsync: 'off' } });
});
afterAll(async () => {
  await server.stop();
  server.remove();
});

const create = () => viewedStoreForSuite(server.url);

memoryStoreSuite({ name: 'sqlite that follows postgres', create });
tierStoreSuite({ name: 'sqlite that follows postgres', create });
changeLogSuite({
  name: 'sqlite that follows postgres',
  create: async () => {
    const { store, tiers, streams: log, close } = await openViewedStore({ url: server.url });
    return { store, tiers, log, settled: (name: string) => store.follower.catchUp(name), close };
  },
});
