import { afterEach } from '@jest/globals';
import { type RedisConfig, RedisServer } from './redis-server.ts';

/** Call it once in a file: it closes everything that its tests start after each of them, last first. */
export function redisOfTest(): {
  readonly closers: (() => Promise<unknown>)[];
  serve(config?: RedisConfig): Promise<RedisServer>;
} {
  const closers: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const close of closers.splice(0).reverse()) await close();
  });
  const serve = async (config: RedisConfig = {}) => {
    const server = await RedisServer.started(config);
    closers.push(() => server.stop());
    return server;
  };
  return { closers, serve };
}
