import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { HealthListRequest, HealthCheckResponse_ServingStatus as Serving } from '../../gen/ts/grpc/health/v1/health.ts';
import { GetServerInfoRequest } from '../../gen/ts/mneme/v1/admin_service.ts';
import { GetSessionRequest, ListSessionsRequest } from '../../gen/ts/mneme/v1/lifecycle_service.ts';
import { ListMemoriesRequest } from '../../gen/ts/mneme/v1/memory_service.ts';
import { DeleteNamespaceRequest } from '../../gen/ts/mneme/v1/namespace_service.ts';
import { SessionState } from '../../gen/ts/mneme/v1/session.ts';
import { GetValueRequest, SetValueRequest } from '../../gen/ts/mneme/v1/working_memory_service.ts';
import { ask, refusal } from '../server/grpc/support/ask.ts';
import { freshNamespace, json, store } from '../server/grpc/support/memories.ts';
import { initial, sessionCalls } from '../server/grpc/support/sessions.ts';
import type { Clients } from '../server/grpc/support/test-server.ts';
import { PostgresServer } from '../support/postgres-server.ts';
import { until } from '../support/redis-cluster.ts';
import { RedisServer } from '../support/redis-server.ts';
import { Replica } from './replicas.ts';

const scope = { project: 'p', agentType: 'planner', agent: 'ada' };
const replicas: Replica[] = [];
let postgres: PostgresServer;
let redis: RedisServer;
let schemas = 0;

beforeAll(async () => {
  postgres = await PostgresServer.started({ version: 18, parameters: { fsync: 'off' } });
  redis = await RedisServer.started({ appendonly: 'yes', appendfsync: 'everysec' });
}, 120_000);
afterEach(async () => {
  redis.thaw();
  for (const replica of replicas.splice(0)) await replica.stop();
});
afterAll(async () => {
  await redis.stop();
  await postgres.stop();
  postgres.remove();
});

/** Servers with memories in a schema and sessions under a prefix of their own; those of `replicas` end with a test. */
function group(more: Record<string, string> = {}, started = replicas) {
  const name = `group_${++schemas}`;
  const start = async (): Promise<Replica> => {
    const replica = await Replica.startWith({
      ...postgres.envOf(name),
      MNEME_POSTGRES_STATEMENT_TIMEOUT_MS: '60000',
      MNEME_REDIS_URL: redis.url,
      MNEME_REDIS_KEY_PREFIX: name,
      MNEME_BACKEND_PROBE_INTERVAL_MS: '100',
      // Sweeps come soon, so that tests need not wait for them.
      MNEME_EXPIRY_INTERVAL_MS: '100',
      ...more,
    });
    started.push(replica);
    return replica;
  };
  return { name, start };
}

/** Holds the lock of a namespace: its memories can be read, and writes wait, until the work is done. */
async function whileWritesWait(schema: string, parent: string, work: () => Promise<void>): Promise<void> {
  const client = new Client(postgres.url);
  await client.connect();
  try {
    await client.query('BEGIN');
    const name = parent.slice('namespaces/'.length);
    await client.query(`SELECT 1 FROM ${schema}.namespace WHERE name = $1 FOR UPDATE`, [name]);
    await work();
  } finally {
    await client.end();
  }
}

const stateAt = async ({ lifecycle }: Clients, name: string) =>
  (await ask(lifecycle, lifecycle.getSession, GetSessionRequest.fromPartial({ session: name }))).session?.state;

const listedAt = async ({ lifecycle }: Clients, parent: string) =>
  (await ask(lifecycle, lifecycle.listSessions, ListSessionsRequest.fromPartial({ parent }))).sessions;

async function episodesAt({ memories }: Clients, parent: string): Promise<string[]> {
  const { memories: listed } = await ask(memories, memories.listMemories, ListMemoriesRequest.fromPartial({ parent }));
  return listed.filter(({ type }) => type === 'episode').map(({ source }) => source?.uri ?? '');
}

/** The text of a value; `undefined` without one. */
async function valueAt({ working }: Clients, session: string, key: string): Promise<string | undefined> {
  const { entry } = await ask(working, working.getValue, GetValueRequest.fromPartial({ session, key }));
  return entry && (entry.value?.body?.value as string);
}

async function spawned(clients: Clients, parent = freshNamespace()): Promise<{ parent: string; name: string }> {
  const { session } = await sessionCalls(clients).spawn({
    parent,
    sessionId: 's',
    scope,
    initialValues: initial({ a: 1 }),
  });
  return { parent, name: session?.name ?? '' };
}

describe('servers with sessions in Redis and memories in PostgreSQL', () => {
  const kept: Replica[] = [];
  const { name: schema, start } = group({}, kept);
  /** Of all tests here: namespaces are of one test, and a server that one kills is started again. */
  let one: Replica;
  let two: Replica;
  beforeAll(async () => {
    [one, two] = [await start(), await start()];
  }, 120_000);
  afterAll(async () => {
    for (const server of kept) await server.stop();
  });

  it('a session of one › is that of the other, and its episode too; both name both stores', async () => {
    const { parent, name } = await spawned(one.clients);
    expect(await valueAt(two.clients, name, 'a')).toBe('1');
    const { working, admin } = two.clients;
    await ask(working, working.setValue, SetValueRequest.fromPartial({ session: name, key: 'b', value: json(2) }));
    const ended = await sessionCalls(one.clients).terminate({ session: name });
    expect(ended.clearedCount).toBe(2);
    expect(await episodesAt(two.clients, parent)).toEqual([name]);
    const { backends } = await ask(admin, admin.getServerInfo, GetServerInfoRequest.fromPartial({}));
    expect(backends.map(({ role, technology }) => [role, technology.split(' ')[0]])).toEqual(
      expect.arrayContaining([
        ['memories', 'postgres'],
        ['sessions', 'redis'],
      ]),
    );
  }, 120_000);

  it('killed before the episode is in PostgreSQL › another server ends it once, at the request that is repeated', async () => {
    const { parent, name } = await spawned(one.clients);
    const request = { session: name, requestId: randomUUID() };
    await whileWritesWait(schema, parent, async () => {
      const lost = sessionCalls(one.clients).terminate(request);
      lost.catch(() => undefined);
      await until('the end is decided', async () => {
        return (await stateAt(two.clients, name)) === SessionState.SESSION_STATE_TERMINATED;
      });
      await one.kill();
      await expect(lost).rejects.toThrow();
    });
    const ended = await sessionCalls(two.clients).terminate(request);
    expect([ended.clearedCount, ended.session?.version]).toEqual([1, 3n]);
    expect(await sessionCalls(two.clients).terminate(request)).toEqual(ended);
    expect(await episodesAt(two.clients, parent)).toEqual([name]);
    await one.restart();
  }, 120_000);

  it('killed with the episode in PostgreSQL, and Redis frozen › the next start ends the session; there is one episode', async () => {
    const { name: schema, start } = group({ MNEME_REDIS_COMMAND_TIMEOUT_MS: '60000' });
    const one = await start();
    const { parent, name } = await spawned(one.clients);
    await whileWritesWait(schema, parent, async () => {
      sessionCalls(one.clients)
        .terminate({ session: name })
        .catch(() => undefined);
      await until('the end is decided', async () => {
        return (await stateAt(one.clients, name)) === SessionState.SESSION_STATE_TERMINATED;
      });
      redis.freeze();
    });
    await until('the episode is stored', async () => (await episodesAt(one.clients, parent)).length === 1);
    await one.kill();
    redis.thaw();
    await one.restart();
    await until('the session is empty', async () => (await valueAt(one.clients, name, 'a')) === undefined);
    expect(await episodesAt(one.clients, parent)).toEqual([name]);
    const [session] = await listedAt(one.clients, parent);
    expect(session).toMatchObject({ state: SessionState.SESSION_STATE_TERMINATED, version: 3n });
  }, 120_000);

  it('killed while a namespace is deleted, its sessions gone › repeated, it is gone; made again, it is empty', async () => {
    const { parent, name } = await spawned(one.clients);
    await one.store(parent, { text: 'stays until the end' }, 'm');
    const request = DeleteNamespaceRequest.fromPartial({ name: parent, force: true, requestId: randomUUID() });
    const deleteAt = ({ namespaces }: Clients) => ask(namespaces, namespaces.deleteNamespace, request);
    await whileWritesWait(schema, parent, async () => {
      const lost = deleteAt(one.clients);
      lost.catch(() => undefined);
      await until('sessions are gone', async () => (await listedAt(two.clients, parent)).length === 0);
      await one.kill();
      await expect(lost).rejects.toThrow();
    });
    await deleteAt(two.clients);
    await deleteAt(two.clients);
    await two.store(parent, { text: 'new' }, 'n');
    expect(await two.texts(parent)).toEqual(['new']);
    expect(await listedAt(two.clients, parent)).toEqual([]);
    expect((await refusal(stateAt(two.clients, name))).reason).toBe('SESSION_NOT_FOUND');
    await one.restart();
  }, 120_000);

  it('a session that is made while its namespace is deleted › is gone with it; one of a later namespace stays', async () => {
    const { parent } = await spawned(one.clients);
    const { namespaces } = one.clients;
    const request = DeleteNamespaceRequest.fromPartial({ name: parent, force: true, requestId: randomUUID() });
    const deleted = () => ask(namespaces, namespaces.deleteNamespace, request);
    let deleting: Promise<unknown> | undefined;
    await whileWritesWait(schema, parent, async () => {
      deleting = deleted();
      deleting.catch(() => undefined);
      await until('sessions are gone', async () => (await listedAt(two.clients, parent)).length === 0);
      await sessionCalls(two.clients).spawn({ parent, sessionId: 'late', scope });
    });
    await deleting;
    await two.store(parent, { text: 'new' }, 'n');
    expect(await listedAt(two.clients, parent)).toEqual([]);
    await sessionCalls(two.clients).spawn({ parent, sessionId: 'later', scope });
    await deleted();
    expect(await listedAt(one.clients, parent)).toHaveLength(1);
  }, 120_000);

  it('a namespace with sessions › is not deleted without force', async () => {
    const { clients } = one;
    const { parent } = await spawned(clients);
    const request = DeleteNamespaceRequest.fromPartial({ name: parent });
    const refused = await refusal(ask(clients.namespaces, clients.namespaces.deleteNamespace, request));
    expect(refused.reason).toBe('NAMESPACE_NOT_EMPTY');
    expect(await listedAt(clients, parent)).toHaveLength(1);
  }, 120_000);
});

describe('when one of the stores fails', () => {
  /** Names, without the package, of services that do not serve. */
  async function lost({ health }: Clients): Promise<string[]> {
    const { statuses } = await ask(health, health.list, HealthListRequest.fromPartial({}));
    const names = Object.entries(statuses).filter(([, each]) => each.status !== Serving.SERVING);
    return names.map(([name]) => name.replace('mneme.v1.', '')).sort();
  }

  it('Redis frozen › sessions are UNAVAILABLE, memories serve, health says so; then all as before', async () => {
    const { start } = group({ MNEME_REDIS_COMMAND_TIMEOUT_MS: '1000', MNEME_REDIS_RETRY_MS: '50' });
    const one = await start();
    const { parent, name } = await spawned(one.clients);
    redis.freeze();
    const refused = await refusal(valueAt(one.clients, name, 'a'));
    expect([refused.code, refused.reason]).toEqual(['UNAVAILABLE', 'STORAGE_UNAVAILABLE']);
    expect(refused.metadata['backend']).toBe('redis');
    await store(one.clients, parent, { text: 'meanwhile' }, 'm');
    expect(await one.texts(parent)).toEqual(['meanwhile']);
    await until('health says so', async () => (await lost(one.clients)).length > 0);
    expect(await lost(one.clients)).toEqual(['LifecycleService', 'WorkingMemoryService']);
    const { admin } = one.clients;
    const { degraded } = await ask(admin, admin.getServerInfo, GetServerInfoRequest.fromPartial({}));
    expect(degraded).toEqual([expect.stringMatching(/^sessions: Redis does not answer since/)]);
    redis.thaw();
    await until('all serve', async () => (await lost(one.clients)).length === 0);
    expect(await valueAt(one.clients, name, 'a')).toBe('1');
  }, 120_000);

  it('PostgreSQL stopped › all are UNAVAILABLE and name it; then sessions and memories are as before', async () => {
    const { start } = group();
    const one = await start();
    const { parent, name } = await spawned(one.clients);
    await store(one.clients, parent, { text: 'cat' }, 'm');
    await postgres.stop();
    try {
      for (const call of [valueAt(one.clients, name, 'a'), one.texts(parent), spawned(one.clients)]) {
        const refused = await refusal(call);
        expect([refused.code, refused.metadata['backend']]).toEqual(['UNAVAILABLE', 'postgres']);
      }
      await until('health says so', async () => (await lost(one.clients)).includes('MemoryService'));
    } finally {
      await postgres.start();
    }
    await until('all serve', async () => (await lost(one.clients)).length === 0);
    expect(await one.texts(parent)).toEqual(['cat']);
    await sessionCalls(one.clients).terminate({ session: name });
    expect(await episodesAt(one.clients, parent)).toEqual([name]);
  }, 120_000);

  it('Redis emptied while servers run › sessions are reported as lost, and a server that starts then joins', async () => {
    const { start } = group();
    const one = await start();
    const { parent, name } = await spawned(one.clients);
    await redis.command('FLUSHALL');
    const two = await start();
    for (const { clients } of [one, two]) {
      const refused = await refusal(valueAt(clients, name, 'a'));
      expect([refused.code, refused.reason]).toEqual(['DATA_LOSS', 'SESSION_LOST']);
    }
    await sessionCalls(two.clients).spawn({ parent, sessionId: 's', scope, initialValues: initial({ a: 2 }) });
    expect(await valueAt(one.clients, name, 'a')).toBe('2');
  }, 120_000);

  it('Redis is restored from before the end of a session › it is ended again, into the same episode', async () => {
    const older = await RedisServer.started();
    try {
      const { start } = group({ MNEME_REDIS_URL: older.url });
      const one = await start();
      const { parent, name } = await spawned(one.clients);
      await older.command('SAVE');
      const { terminate } = sessionCalls(one.clients);
      const { episode } = await terminate({ session: name });
      await one.kill();
      await older.restart();
      await one.restart();
      const again = await sessionCalls(one.clients).terminate({ session: name });
      expect([again.episode, again.clearedCount]).toEqual([episode, 1]);
      expect(await episodesAt(one.clients, parent)).toEqual([name]);
    } finally {
      await older.stop();
    }
  }, 120_000);

  it('all servers and Redis are gone, and come back without the data of Redis › the loss is reported, not an empty session', async () => {
    const { start } = group();
    const one = await start();
    const { name } = await spawned(one.clients);
    await one.kill();
    await redis.command('FLUSHALL');
    await one.restart();
    const refused = await refusal(valueAt(one.clients, name, 'a'));
    expect([refused.code, refused.reason]).toEqual(['DATA_LOSS', 'SESSION_LOST']);
  }, 120_000);
});
