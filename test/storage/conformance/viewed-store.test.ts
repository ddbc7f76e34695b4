import { afterAll, beforeAll, describe } from '@jest/globals';
import { PostgresAgentSnapshots } from '../../../src/storage/postgres/agents/agent-snapshots.ts';
import { POSTGRES_VERSIONS, PostgresServer } from '../../support/postgres-server.ts';
import { openViewedStore, viewedStoreForSuite } from '../../support/viewed-store.ts';
import { agentSnapshotsSuite } from './agent-snapshots.suite.ts';
import { changeLogSuite } from './change-log.suite.ts';
import { memoryStoreSuite } from './memory-store.suite.ts';
import { subscriptionStoreSuite } from './subscription-store.suite.ts';
import { tierStoreSuite } from './tier-store.suite.ts';

describe.each(POSTGRES_VERSIONS)('PostgreSQL %s', (version) => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await PostgresServer.started({ version, parameters: { fsync: 'off' } });
  });
  afterAll(async () => {
    await server.stop();
    server.remove();
  });

  const create = () => viewedStoreForSuite(server.url);

  memoryStoreSuite({ name: 'sqlite that follows postgres', create });
  tierStoreSuite({ name: 'sqlite that follows postgres', create });
  async function withStreams() {
    const {
      store,
      streams: log,
      subscriptions,
      close,
    } = await openViewedStore({ url: server.url, reusesSchema: true });
    return { store, log, subscriptions, settled: (name: string) => store.follower.catchUp(name), close };
  }

  changeLogSuite({ name: 'sqlite that follows postgres', create: withStreams });
  subscriptionStoreSuite({ name: 'postgres', create: withStreams });
  agentSnapshotsSuite({
    name: 'postgres',
    create: async () => {
      const { store, records, close } = await openViewedStore({ url: server.url, reusesSchema: true });
      return { store, agents: new PostgresAgentSnapshots(records.access), close };
    },
  });
});
