import { describe, expect, it } from '@jest/globals';
import { connect } from '../../clients/typescript/src/index.ts';
import { openRedis } from '../../src/storage/redis/open-connection.ts';
import { startTestServer } from '../grpc/support/test-server.ts';
import { PATIENT_REDIS } from '../support/patient-redis.ts';
import { redisOfTest } from '../support/redis-of-test.ts';

const { closers, serve } = redisOfTest();

/** As many commands wait at most for the answers of Redis. */
const WAITING_MAX = 10_000;

describe('calls that wait for Redis', () => {
  it('beyond their deadline › end with it; their writes take effect once, and other calls go on', async () => {
    const redis = await serve();
    const flags = { redisCommandTimeoutMs: '60000', embedder: 'none' };
    const server = await startTestServer(flags, {}, { MNEME_REDIS_URL: redis.url });
    closers.push(() => server.stop());
    const mneme = connect(server.address, { namespace: 'space', retry: false });
    closers.push(async () => mneme.close());
    const memory = mneme.session('run');
    await memory.set('before', 1);
    redis.freeze();
    const late = { code: 'DEADLINE_EXCEEDED' };
    await Promise.all([
      expect(memory.set('late', 2, { timeoutMs: 500 })).rejects.toMatchObject(late),
      expect(memory.get('before', { timeoutMs: 500 })).rejects.toMatchObject(late),
      expect(mneme.store({ text: 'late' }, { timeoutMs: 500 })).rejects.toMatchObject(late),
    ]);
    redis.thaw();
    // Behind the late ones, in the order in which they were sent.
    await memory.set('after', 3);
    expect((await memory.get('late'))?.value.json()).toBe(2);
    expect((await mneme.count()).count).toBe(1);
  }, 120_000);

  it('more than may wait › the others fail at once with QUEUE_FULL, and those that wait are answered', async () => {
    const redis = await serve();
    const connection = await openRedis({ ...PATIENT_REDIS, commandTimeoutMs: 120_000, urls: [redis.url] });
    closers.push(() => connection.close());
    redis.freeze();
    const waiting = Array.from({ length: WAITING_MAX }, () => connection.send('k', ['GET', 'k']));
    const settled = Promise.allSettled(waiting);
    const more = Array.from({ length: 5 }, () => connection.send('k', ['GET', 'k']));
    const full = { reason: 'QUEUE_FULL', metadata: { backend: 'redis' } };
    for (const call of more) await expect(call).rejects.toMatchObject(full);
    redis.thaw();
    expect((await settled).filter(({ status }) => status === 'fulfilled').length).toBeGreaterThanOrEqual(
      WAITING_MAX - 5,
    );
    expect(await connection.send('k', ['GET', 'k'])).toBe(null);
  }, 120_000);
});
