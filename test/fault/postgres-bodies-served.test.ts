import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { HealthListRequest, HealthCheckResponse_ServingStatus as Serving } from '../../gen/ts/grpc/health/v1/health.ts';
import { GetServerInfoRequest } from '../../gen/ts/mneme/v1/admin_service.ts';
import { DeleteMemoryRequest, GetMemoryRequest } from '../../gen/ts/mneme/v1/memory_service.ts';
import { RecallRequest } from '../../gen/ts/mneme/v1/recall_service.ts';
import { runMneme } from '../cli/support/run-mneme.ts';
import { startMneme } from '../cli/support/start-mneme.ts';
import { ask, refusal } from '../server/grpc/support/ask.ts';
import { freshNamespace, store } from '../server/grpc/support/memories.ts';
import { connect } from '../server/grpc/support/test-server.ts';
import { PostgresServer } from '../support/postgres-server.ts';
import { until } from '../support/redis-cluster.ts';
import { RedisServer } from '../support/redis-server.ts';
import { Replica } from './replicas.ts';

const replicas: Replica[] = [];
let postgres: PostgresServer;
let redis: RedisServer;
let name: string;
let schemas = 0;
let folder: string;
beforeAll(async () => {
  postgres = await PostgresServer.started({ version: 18, parameters: { fsync: 'off' } });
  redis = await RedisServer.started({ appendonly: 'yes', appendfsync: 'always' });
  folder = mkdtempSync(join(tmpdir(), 'mneme-bodies-'));
}, 120_000);
beforeEach(() => {
  name = `served_${++schemas}`;
});
afterEach(async () => {
  redis.thaw();
  for (const replica of replicas.splice(0)) await replica.stop();
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await redis.stop();
  await postgres.stop();
  postgres.remove();
});

const postgresOf = () => ({ ...postgres.envOf(name), MNEME_POSTGRES_STATEMENT_TIMEOUT_MS: '60000' });
const redisOf = () => ({ MNEME_REDIS_URL: redis.url, MNEME_REDIS_KEY_PREFIX: name });

async function start(more: Record<string, string> = {}): Promise<Replica> {
  const env = { ...postgresOf(), ...redisOf(), MNEME_BACKEND_PROBE_INTERVAL_MS: '100', MNEME_UPPER_TIERS: 'redis' };
  const replica = await Replica.startWith({ ...env, ...more });
  replicas.push(replica);
  return replica;
}

const memoryAt = ({ clients: { memories } }: Replica, memory: string) =>
  ask(memories, memories.getMemory, GetMemoryRequest.fromPartial({ name: memory }));
const textAt = async (replica: Replica, memory: string) => (await memoryAt(replica, memory)).memory?.text;

async function recalledAt({ clients: { recalls } }: Replica, parent: string, text: string): Promise<string[]> {
  const { hits } = await ask(recalls, recalls.recall, RecallRequest.fromPartial({ minRelevance: 0, parent, text }));
  return hits.map(({ memory }) => memory?.text ?? '');
}

const bodiesInRedis = async () => ((await redis.command('KEYS', `${name}:body:*`)) as string[]).length;

describe('servers with PostgreSQL and texts of the upper tiers in Redis', () => {
  it('stored at one, killed, read at the other and after the restart › all is there, and what is deleted is gone', async () => {
    const [one, other] = [await start(), await start()];
    const parent = freshNamespace();
    const { name: memory } = await store(one.clients, parent, { text: 'The red house has a garden.' }, 'red');
    expect(await bodiesInRedis()).toBe(1);
    await one.kill();
    expect(await textAt(other, memory)).toBe('The red house has a garden.');
    expect(await recalledAt(other, parent, 'red garden')).toEqual(['The red house has a garden.']);
    await one.restart();
    expect(await recalledAt(one, parent, 'red garden')).toEqual(['The red house has a garden.']);
    const { admin, memories } = one.clients;
    const { backends } = await ask(admin, admin.getServerInfo, GetServerInfoRequest.fromPartial({}));
    expect(backends.map(({ role }) => role)).toEqual(['memories', 'upper tiers', 'view', 'sessions']);
    await ask(memories, memories.deleteMemory, DeleteMemoryRequest.fromPartial({ name: memory }));
    await until('the text is erased in Redis', async () => (await bodiesInRedis()) === 0);
  });

  it('Redis is frozen › stores fail for the time being, as health says; then all goes on', async () => {
    const one = await start({ MNEME_REDIS_COMMAND_TIMEOUT_MS: '300' });
    const parent = freshNamespace();
    await one.store(parent, { text: 'The red house has a garden.' }, 'red');
    redis.freeze();
    expect(await refusal(store(one.clients, parent, { text: 'late' }, 'late'))).toMatchObject({
      code: 'UNAVAILABLE',
      metadata: { backend: 'redis' },
    });
    const { health } = one.clients;
    const statuses = async () => (await ask(health, health.list, HealthListRequest.fromPartial({}))).statuses;
    const isServing = async (service: string) => (await statuses())[`mneme.v1.${service}`]?.status === Serving.SERVING;
    await until('stores are not served', async () => !(await isServing('MemoryService')));
    expect(await isServing('NamespaceService')).toBe(true);
    redis.thaw();
    await one.store(parent, { text: 'late' }, 'late');
    expect(await one.texts(parent)).toEqual(['The red house has a garden.', 'late']);
  });

  it('backed up and verified › texts of Redis are in the backup; without Redis it is refused', async () => {
    const one = await start();
    const parent = freshNamespace();
    await one.store(parent, { text: 'The red house has a garden.' }, 'red');
    const path = join(folder, name);
    const env = { ...postgresOf(), ...redisOf() };
    const refused = await runMneme(['backup', path], { env: postgresOf() });
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringContaining('set MNEME_REDIS_URL as its servers have it'),
    ]);
    const away = await runMneme(['backup', path], { env: { ...env, MNEME_REDIS_URL: 'redis://127.0.0.1:1' } });
    expect(away.code).toBe(1);
    expect(away.stderr.trim()).toMatch(/^mneme: MNEME_REDIS_URL: there is no connection to Redis at 127.0.0.1:1 .*$/);
    expect((await runMneme(['verify'], { env })).code).toBe(0);
    expect((await runMneme(['backup', path], { env })).code).toBe(0);
    const data = join(folder, `${name}-restored`);
    expect((await runMneme(['restore', path, '--data', data], {})).code).toBe(0);
    const restored = await startMneme({ data, flags: ['--embedder', 'none'], isQuiet: true });
    const { memories, close } = connect(restored.address);
    const kept = await ask(
      memories,
      memories.getMemory,
      GetMemoryRequest.fromPartial({ name: `${parent}/memories/red` }),
    );
    expect(kept.memory?.text).toBe('The red house has a garden.');
    close();
    await restored.stop();
  });

  it('opened without the setting › texts come back into PostgreSQL', async () => {
    const one = await start();
    const parent = freshNamespace();
    await one.store(parent, { text: 'The red house has a garden.' }, 'red');
    await one.restart({ MNEME_UPPER_TIERS: 'postgres' });
    await until('no text is in Redis', async () => (await bodiesInRedis()) === 0);
    expect(await one.texts(parent)).toEqual(['The red house has a garden.']);
    expect(await textAt(one, `${parent}/memories/red`)).toBe('The red house has a garden.');
  });
});
