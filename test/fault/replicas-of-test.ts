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
