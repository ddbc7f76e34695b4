import { afterAll, afterEach, beforeAll } from '@jest/globals';
import { type RedisConfig, RedisServer } from '../support/redis-server.ts';
import { Replica } from './replicas.ts';

/** To be called once in a file whose tests share a Redis: stops the servers of each test after it. */
export function replicasOfTest(config: RedisConfig = {}, env: Record<string, string> = {}) {
  let redis: RedisServer;
  const replicas: Replica[] = [];
  beforeAll(async () => {
    redis = await RedisServer.started(config);
  });
  afterEach(async () => {
    for (const replica of replicas.splice(0)) await replica.stop();
  });
  afterAll(() => redis.stop());
  const start = async (more: Record<string, string> = {}) => {
    const replica = await Replica.start(redis.url, { ...env, ...more });
    replicas.push(replica);
    return replica;
  };
  return { start, command: (...args: string[]) => redis.command(...args) };
}

/**
 * Two servers over one Redis, of all tests of a file or a block: namespaces are of one test, and a test that kills a server
 * starts it again. A start takes as much as many of the tests do.
 */
export function pairOfBlock(config: RedisConfig = {}) {
  let redis: RedisServer;
  const pair: Replica[] = [];
  beforeAll(async () => {
    redis = await RedisServer.started(config);
    for (const _ of [1, 2]) pair.push(await Replica.start(redis.url));
  }, 240_000);
  afterAll(async () => {
    for (const replica of pair) await replica.stop();
    await redis.stop();
  });
  return {
    pair(): readonly [Replica, Replica] {
      const [one, two] = pair;
      if (!(one && two)) throw new Error('the servers are not started yet');
      return [one, two];
    },
    command: (...args: string[]) => redis.command(...args),
    restartRedis: () => redis.restart(),
  };
}
