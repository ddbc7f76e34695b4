import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import { openRecords } from '../../support/postgres-records.ts';
import { POSTGRES_VERSIONS, PostgresServer } from '../../support/postgres-server.ts';
import { memoryStoreSuite } from './memory-store.suite.ts';
import { scopePoliciesSuite } from './scope-policies.suite.ts';
import { tierStoreSuite } from './tier-store.suite.ts';

describe.each(POSTGRES_VERSIONS)('PostgreSQL %s', (version) => {
  let server: PostgresServer;
  beforeAll(async () => {
    // What a suite checks does not outlive its server.
    server = await PostgresServer.started({ version, parameters: { fsync: 'off' } });
  });
  afterAll(async () => {
    await server.stop();
    server.remove();
  });

  async function create() {
    const { records, store, failures, close } = await openRecords({ url: server.url, reusesSchema: true });
    return {
      store,
      policies: records.policies,
      close: async () => {
        await close();
        expect(failures).toEqual([]);
      },
    };
  }

  scopePoliciesSuite({ name: 'postgres', create });
  memoryStoreSuite({ name: 'postgres', create });
  tierStoreSuite({ name: 'postgres', create });
});
