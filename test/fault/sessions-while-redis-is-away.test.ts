import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { connect, type WorkingMemory } from '../../clients/typescript/src/index.ts';
import { HealthListRequest, HealthCheckResponse_ServingStatus as Serving } from '../../gen/ts/grpc/health/v1/health.ts';
import { GetServerInfoRequest } from '../../gen/ts/mneme/v1/admin_service.ts';
import { runMneme } from '../cli/support/run-mneme.ts';
import { startMneme } from '../cli/support/start-mneme.ts';
import { ask } from '../server/grpc/support/ask.ts';
import { startTestServer, type TestServer } from '../server/grpc/support/test-server.ts';
import { until } from '../support/redis-cluster.ts';
import { redisOfTest } from '../support/redis-of-test.ts';

const { closers, serve } = redisOfTest();

const DURABLE = { appendonly: 'yes', appendfsync: 'always' };
const FLAGS = {
  redisCommandTimeoutMs: '1500',
  redisRetryMs: '50',
  backendProbeIntervalMs: '50',
  embedder: 'none',
};

async function startWith(redisUrl: string, sessionsWhenLost: string): Promise<TestServer> {
  const mneme = await startTestServer({ ...FLAGS, sessionsWhenLost }, {}, { MNEME_REDIS_URL: redisUrl });
  closers.push(() => mneme.stop());
  return mneme;
}

/** Of the session `run`; temporary refusals are not retried. */
function memoryOf(address: string): WorkingMemory {
  const mneme = connect(address, { namespace: 'space', retry: false });
  closers.push(async () => mneme.close());
  return mneme.session('run');
}

async function valuesOf(memory: WorkingMemory): Promise<Record<string, unknown>> {
  const values: Record<string, unknown> = {};
  for await (const { key, value } of memory.getAll()) values[key] = value.json();
  return values;
}

async function notesOf(memory: WorkingMemory): Promise<string[]> {
  const notes: string[] = [];
  for await (const { content } of memory.listScratchpad()) notes.push(Buffer.from(content.data).toString());
  return notes;
}

async function lost({ health }: TestServer): Promise<string[]> {
  const { statuses } = await ask(health, health.list, HealthListRequest.fromPartial({}));
  const names = Object.entries(statuses).filter(([, { status }]) => status !== Serving.SERVING);
  return names.map(([name]) => name.slice(name.lastIndexOf('.') + 1)).sort();
}

const isMerged = (memory: WorkingMemory) =>
  memory.getStatistics().then(
    ({ usingFallback }) => !usingFallback,
    () => false,
  );

describe('working memory while Redis is unreachable, with serve_local', () => {
  it('Redis frozen › reads and writes continue, health reports it, and writes are merged when it is back', async () => {
    const redis = await serve(DURABLE);
    const mneme = await startWith(redis.url, 'serve_local');
    const memory = memoryOf(mneme.address);
    await memory.set('kept', 1);
    await memory.set('changed', 1);
    await memory.appendScratchpad(['one']);
    redis.freeze();

    const { version } = await memory.set('changed', 2);
    expect(await valuesOf(memory)).toEqual({ kept: 1, changed: 2 });
    await memory.set('changed', 3, { ifVersion: version });
    await memory.appendScratchpad(['two']);
    expect((await memory.getStatistics()).usingFallback).toBe(true);
    await until('services are lost', async () => (await lost(mneme)).includes('LifecycleService'));
    expect(await lost(mneme)).toEqual(['LifecycleService']);

    redis.thaw();
    await until('it is merged', () => isMerged(memory));
    expect(await valuesOf(memory)).toMatchObject({ kept: 1, changed: 3 });
    expect(await notesOf(memory)).toEqual(['one', 'two']);
    await until('all serve again', async () => (await lost(mneme)).length === 0);
    await memory.set('after', 4);
    expect(await valuesOf(memory)).toMatchObject({ after: 4 });
  });

  it('Redis frozen, with fail › working memory is refused, memories are served', async () => {
    const redis = await serve(DURABLE);
    const mneme = await startWith(redis.url, 'fail');
    await memoryOf(mneme.address).set('kept', 1);
    redis.freeze();
    await until('it is lost', async () => (await lost(mneme)).includes('WorkingMemoryService'));
    await expect(memoryOf(mneme.address).set('more', 1)).rejects.toMatchObject({ reason: 'STORAGE_UNAVAILABLE' });
    const client = connect(mneme.address, { namespace: 'space', retry: false });
    closers.push(async () => client.close());
    await client.store({ text: 'the brass key' });
    expect((await client.count()).count).toBe(1);
    redis.thaw();
  });

  it('mneme session show › shows the session, and reports that checkpoints are not known', async () => {
    const redis = await serve(DURABLE);
    const mneme = await startWith(redis.url, 'serve_local');
    await memoryOf(mneme.address).set('kept', 1);
    redis.freeze();
    const env = { MNEME_SERVER: mneme.address, MNEME_NAMESPACE: 'space' };
    const shown = await runMneme(['session', 'show', 'run'], { env });
    expect([shown.code, shown.stdout]).toEqual([
      0,
      expect.stringMatching(/sessions\/run\nstate +active\n[\s\S]*\ncheckpoints {2}not known while Redis is away\n$/),
    ]);
    const json = await runMneme(['session', 'show', 'run', '--json'], { env });
    expect(JSON.parse(json.stdout)).toMatchObject({ id: 'run', checkpoints: null });
    redis.thaw();
  });

  it('the server killed while Redis is unreachable › its acknowledged writes are merged by the next one, once', async () => {
    const redis = await serve(DURABLE);
    const data = await mkdtemp(join(tmpdir(), 'mneme-away-'));
    closers.push(() => rm(data, { recursive: true, force: true }));
    const env = {
      MNEME_REDIS_URL: redis.url,
      MNEME_REDIS_COMMAND_TIMEOUT_MS: '1500',
      MNEME_REDIS_RETRY_MS: '50',
    };
    const start = () => startMneme({ data, flags: ['--embedder', 'none', '--sessions-when-lost', 'serve_local'], env });
    const first = await start();
    closers.push(() => first.stop('SIGKILL'));
    const memory = memoryOf(first.address);
    await memory.set('at', 0);
    redis.freeze();
    const acknowledged: number[] = [];
    for (let at = 1; at <= 40; at++) {
      await memory.set(`key-${at}`, at);
      await memory.appendScratchpad([`${at}`]);
      acknowledged.push(at);
    }
    await first.stop('SIGKILL');
    redis.thaw();

    const next = await start();
    closers.push(() => next.stop('SIGKILL'));
    const merged = memoryOf(next.address);
    await until('it is merged', () => isMerged(merged));
    const values = await valuesOf(merged);
    expect(Object.keys(values).length).toBe(acknowledged.length + 1);
    for (const at of acknowledged) expect(values[`key-${at}`]).toBe(at);
    expect(await notesOf(merged)).toEqual(acknowledged.map(String));
  });

  it('the server starts without its Redis › it serves, says so, and its writes are merged when Redis answers', async () => {
    const redis = await serve(DURABLE);
    await redis.kill();
    const mneme = await startWith(redis.url, 'serve_local');
    const memory = memoryOf(mneme.address);
    await memory.set('early', 1);
    expect(await valuesOf(memory)).toEqual({ early: 1 });
    expect((await memory.getStatistics()).usingFallback).toBe(true);
    const degraded = async () =>
      (await ask(mneme.admin, mneme.admin.getServerInfo, GetServerInfoRequest.fromPartial({}))).degraded;
    expect(await degraded()).toEqual([
      expect.stringMatching(/^sessions: Redis does not answer/),
      expect.stringMatching(/^sessions: 1 is served from the data folder until merged into Redis/),
    ]);
    const client = connect(mneme.address, { namespace: 'space', retry: false });
    closers.push(async () => client.close());
    await client.store({ text: 'the brass key' });
    expect((await client.count()).count).toBe(1);

    await redis.start();
    await until('it is merged', () => isMerged(memory));
    expect(await valuesOf(memory)).toEqual({ early: 1 });
    await until('all serve', async () => (await lost(mneme)).length === 0);
    await memory.set('later', 2);
    expect(await degraded()).toEqual([]);
    expect(await redis.command('ZCARD', 'mneme:servers')).toBe(1);
  });

  it('the server starts without its Redis, which another server has meanwhile › sessions are refused, and it says why', async () => {
    const redis = await serve(DURABLE);
    const other = await startWith(redis.url, 'fail');
    redis.freeze();
    const mneme = await startWith(redis.url, 'serve_local');
    redis.thaw();
    const theirs = memoryOf(other.address);
    const isStored = () =>
      theirs.set('theirs', 1).then(
        () => true,
        () => false,
      );
    await until('the other one goes on', isStored);
    const degraded = async () =>
      (await ask(mneme.admin, mneme.admin.getServerInfo, GetServerInfoRequest.fromPartial({}))).degraded.join();
    await until('it says why', async () => (await degraded()).includes('another server holds the Redis key prefix'));
    const fault = { metadata: expect.objectContaining({ fault: 'superseded' }) };
    await expect(memoryOf(mneme.address).set('mine', 1)).rejects.toMatchObject(fault);
    expect(await valuesOf(theirs)).toEqual({ theirs: 1 });
  }, 120_000);

  it('the server starts without its Redis, with fail › it does not start, in one line', async () => {
    const redis = await serve(DURABLE);
    await redis.kill();
    await expect(startWith(redis.url, 'fail')).rejects.toThrow('there is no connection to Redis');
  });
});
