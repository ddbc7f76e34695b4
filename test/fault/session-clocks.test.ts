import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { ListSessionsRequest } from '../../gen/ts/mneme/v1/lifecycle_service.ts';
import { CreateNamespaceRequest, DeleteNamespaceRequest } from '../../gen/ts/mneme/v1/namespace_service.ts';
import { systemClock } from '../../src/memory/clock.ts';
import { ask } from '../server/grpc/support/ask.ts';
import { freshNamespace } from '../server/grpc/support/memories.ts';
import { sessionCalls } from '../server/grpc/support/sessions.ts';
import { startTestServer, type TestServer } from '../server/grpc/support/test-server.ts';
import { PostgresServer } from '../support/postgres-server.ts';
import { RedisServer } from '../support/redis-server.ts';

const HOUR_US = 3_600_000_000;

let postgres: PostgresServer;
let redis: RedisServer;
const servers: TestServer[] = [];
beforeAll(async () => {
  postgres = await PostgresServer.started({ parameters: { fsync: 'off' } });
  redis = await RedisServer.started();
}, 120_000);
afterEach(async () => {
  for (const server of servers.splice(0)) await server.stop();
});
afterAll(async () => {
  await redis.stop();
  await postgres.stop();
  postgres.remove();
});

/** A server over both whose clock is so far from that of the others. */
async function serverAt(offsetUs: number): Promise<TestServer> {
  const clock = { nowUs: () => systemClock.nowUs() + offsetUs };
  const env = { MNEME_POSTGRES_URL: postgres.url, MNEME_REDIS_URL: redis.url };
  const server = await startTestServer({ embedder: 'none' }, { clock }, env);
  servers.push(server);
  return server;
}

const scope = { project: 'p', agentType: 'planner', agent: 'ada' };

it.each([
  ['ahead of', HOUR_US, 0],
  ['behind', 0, HOUR_US],
])(
  'a server that deletes and makes a namespace anew, with a clock %s that of another › no session of the new one is erased',
  async (_, ofDeleting, ofOther) => {
    const [deleting, other] = [await serverAt(ofDeleting), await serverAt(ofOther)];
    const parent = freshNamespace();
    const { namespaces, lifecycle } = deleting;
    const create = CreateNamespaceRequest.fromPartial({ namespace: { name: parent } });
    const remove = DeleteNamespaceRequest.fromPartial({ name: parent, force: true, requestId: randomUUID() });
    await ask(namespaces, namespaces.createNamespace, create);
    await sessionCalls(other).spawn({ parent, sessionId: 'former', scope });
    await ask(namespaces, namespaces.deleteNamespace, remove);
    await ask(namespaces, namespaces.createNamespace, create);
    await sessionCalls(other).spawn({ parent, sessionId: 'new', scope });
    // The answer was lost: it is sent again, and sessions of the former namespace are looked for.
    await ask(namespaces, namespaces.deleteNamespace, remove);
    const { sessions } = await ask(lifecycle, lifecycle.listSessions, ListSessionsRequest.fromPartial({ parent }));
    expect(sessions.map(({ name }) => name)).toEqual([`${parent}/sessions/new`]);
  },
  120_000,
);
