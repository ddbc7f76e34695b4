import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import { openRecords } from '../support/postgres-records.ts';
import { hasPostgresWithTls, PostgresServer, type PostgresVersion } from '../support/postgres-server.ts';
import { memoryStoreSuite } from './memory-store.suite.ts';
import { scopePoliciesSuite } from './scope-policies.suite.ts';
import { tierStoreSuite } from './tier-store.suite.ts';

// That of the system is the oldest one, PostgreSQL 15: whoever cannot install it goes without, CI fails.
const OF_SYSTEM: PostgresVersion[] = hasPostgresWithTls || process.env['CI'] ? ['system'] : [];

describe.each<PostgresVersion>([16, 18, ...OF_SYSTEM])('PostgreSQL %s', (version) => {
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
    const { records, store, tiers, failures, close } = await openRecords({ url: server.url, reusesSchema: true });
    return {
      store,
      tiers,
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
