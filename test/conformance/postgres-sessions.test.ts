import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import { PostgresServer, type PostgresVersion } from '../support/postgres-server.ts';
import { openSessionsOfTest } from '../support/postgres-sessions.ts';
import { lifecycleEventsSuite } from './lifecycle-events.suite.ts';
import { sessionStoreSuite } from './session-store.suite.ts';

describe.each<PostgresVersion>([16, 18])('PostgreSQL %i', (version) => {
  let server: PostgresServer;
  beforeAll(async () => {
    // What a suite checks does not outlive its server.
    server = await PostgresServer.started({ version, parameters: { fsync: 'off' } });
  });
  afterAll(async () => {
    await server.stop();
    server.remove();
  });

  async function open() {
    const { failures, close, ...opened } = await openSessionsOfTest({ url: server.url });
    return {
      ...opened,
      close: async () => {
        await close();
        expect(failures).toEqual([]);
      },
    };
  }

  sessionStoreSuite({
    name: 'postgres',
    create: async () => {
      const { sessions: store, close } = await open();
      return { store, close };
    },
  });

  lifecycleEventsSuite({ name: 'postgres', create: open });
});
