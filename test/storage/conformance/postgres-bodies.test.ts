import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import { PostgresAgentSnapshots } from '../../../src/storage/postgres/agents/agent-snapshots.ts';
import { brokenRules } from '../../fault/postgres-rules.ts';
import { ALL_TESTS } from '../../support/all-tests.ts';
import { externalBodies, openRedisBodies } from '../../support/external-bodies.ts';
import { PostgresServer } from '../../support/postgres-server.ts';
import { RedisServer } from '../../support/redis-server.ts';
import { openViewedStore } from '../../support/viewed-store.ts';
import { agentSnapshotsSuite } from './agent-snapshots.suite.ts';
import { memoryStoreSuite } from './memory-store.suite.ts';
import { reembeddingStoreSuite } from './reembedding-store.suite.ts';
import { tierStoreSuite } from './tier-store.suite.ts';

describe('PostgreSQL, with the bodies of the upper tiers in Redis', () => {
  let server: PostgresServer;
  let redis: RedisServer;
  beforeAll(async () => {
    server = await PostgresServer.started({ version: 18, parameters: { fsync: 'off' } });
    redis = await RedisServer.started();
  });
  afterAll(async () => {
    await redis.stop();
    await server.stop();
    server.remove();
  });

  /** What a suite has done leaves the tables in order. */
  async function open() {
    const { bodies, close } = await openRedisBodies([redis.url]);
    const viewed = await openViewedStore({ url: server.url, reusesSchema: true, bodies: externalBodies(bodies) });
    const { store, records, failures } = viewed;
    return {
      store,
      agents: new PostgresAgentSnapshots(records.access),
      reembeddings: records.reembeddings,
      close: async () => {
        await records.settled();
        expect(await brokenRules(server.url, records.core.database.schema)).toEqual([]);
        await viewed.close();
        expect(failures).toEqual([]);
        await close();
      },
    };
  }

  // Bodies matter to moves, snapshots and vectors; the rest of the contract is held by postgres-records.test.ts.
  if (ALL_TESTS) memoryStoreSuite({ name: 'postgres', create: open });
  tierStoreSuite({ name: 'postgres', create: open });
  agentSnapshotsSuite({ name: 'postgres', create: open });
  reembeddingStoreSuite({ name: 'postgres', create: open });
});
