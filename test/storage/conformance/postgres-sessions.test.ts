import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import { POSTGRES_VERSIONS, PostgresServer } from '../../support/postgres-server.ts';
import { openSessionsOfTest, type SessionsOfTest } from '../../support/postgres-sessions.ts';
import { hookPeersSuite } from './hook-peers.suite.ts';
import { lifecycleEventsSuite } from './lifecycle-events.suite.ts';
import { sessionStoreSuite } from './session-store.suite.ts';

let schemas = 0;

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

  async function open() {
    const { failures, close, ...opened } = await openSessionsOfTest({ url: server.url, reusesSchema: true });
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

  hookPeersSuite({
    name: 'postgres',
    create: async () => {
      const schema = `hooks_${++schemas}`;
      const all: SessionsOfTest[] = [];
      for (let at = 0; at < 3; at++) all.push(await openSessionsOfTest({ url: server.url, schema }));
      const [one, two, three] = all.map(({ hookPeers }) => hookPeers);
      if (!one || !two || !three) throw new Error('there are fewer than three servers');
      return {
        servers: [one, two, three],
        close: async () => {
          for (const { close } of all) await close();
        },
      };
    },
  });
});
