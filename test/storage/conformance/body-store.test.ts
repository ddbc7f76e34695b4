import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { openRedisBodies } from '../../support/external-bodies.ts';
import { RedisServer } from '../../support/redis-server.ts';
import { InMemoryBodies } from '../in-memory/body-store.ts';
import { bodyStoreSuite } from './body-store.suite.ts';

let redis: RedisServer;
beforeAll(async () => {
  redis = await RedisServer.started();
});
afterAll(() => redis.stop());

bodyStoreSuite({
  name: 'in-memory',
  create: async () => ({ bodies: new InMemoryBodies(), close: async () => undefined }),
});
bodyStoreSuite({ name: 'redis', create: () => openRedisBodies([redis.url]) });

it('Redis is emptied, or has gone back to an older state › bodies may be lost, as the next look says', async () => {
  const server = await RedisServer.started();
  const { bodies, close } = await openRedisBodies([server.url]);
  const looks = async () => [await bodies.mayHaveLost(), await bodies.mayHaveLost()];
  expect(await looks()).toEqual([false, false]);
  await server.command('FLUSHALL');
  expect(await looks()).toEqual([true, false]);
  const [counter = ''] = (await server.command('KEYS', '*:body-count:*')) as string[];
  await server.command('SET', counter, '1');
  expect(await looks()).toEqual([true, false]);
  await close();
  await server.stop();
});
