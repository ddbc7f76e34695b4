import { describe, expect, it } from '@jest/globals';
import { connect } from '../../clients/typescript/src/index.ts';
import { servingCall } from '../../src/storage/current-call.ts';
import { openRedis } from '../../src/storage/redis/open-connection.ts';
import { startTestServer } from '../server/grpc/support/test-server.ts';
import { CANCELLED, EndingCall } from '../support/ending-call.ts';
import { PATIENT_REDIS } from '../support/patient-redis.ts';
import { redisOfTest } from '../support/redis-of-test.ts';

const { closers, serve } = redisOfTest();

/** As many commands wait at most for the answers of Redis. */
const WAITING_MAX = 10_000;
/** Far more than the buffers of a connection take. */
const LARGE = Buffer.alloc(64 * 1024, 'x');

describe('calls that wait for Redis', () => {
  it('beyond their deadline › end with it; writes that were not sent are not carried out, and other calls go on', async () => {
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
    ]);
    redis.thaw();
    // Behind the late ones, in the order in which they were sent.
    await memory.set('after', 3);
    // What was sent has read; the commands that write were still to come.
    expect(await memory.get('late')).toBeUndefined();
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

  it('of which many have ended › what is not on its way leaves the queue, and others take the places', async () => {
    const redis = await serve();
    const connection = await openRedis({ ...PATIENT_REDIS, commandTimeoutMs: 120_000, urls: [redis.url] });
    closers.push(() => connection.close());
    redis.freeze();
    const call = new EndingCall();
    const ask = () => connection.send('k', ['HMGET', 'k', LARGE]);
    const late = Promise.allSettled(Array.from({ length: WAITING_MAX }, () => servingCall(call, ask)));
    await expect(connection.send('k', ['GET', 'k'])).rejects.toMatchObject({ reason: 'QUEUE_FULL' });
    // The driver writes in a later step, as much as the socket takes.
    await new Promise(setImmediate);
    await new Promise(setImmediate);
    call.end();
    const others = Promise.all(Array.from({ length: 5000 }, () => connection.send('k', ['GET', 'k'])));
    redis.thaw();
    await others;
    const left = (await late).filter((each) => each.status === 'rejected' && each.reason === CANCELLED).length;
    expect(left).toBeGreaterThanOrEqual(5000);
    expect(left).toBeLessThan(WAITING_MAX);
  }, 120_000);
});
