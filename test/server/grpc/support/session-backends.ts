import type { Overrides } from '../../../../src/server/server.ts';
import { ALL_TESTS } from '../../../support/all-tests.ts';
import { PostgresServer } from '../../../support/postgres-server.ts';
import { RedisServer } from '../../../support/redis-server.ts';
import { startTestServer, type TestServer } from './test-server.ts';

/** Where a server of a test keeps its memories. */
export const MEMORY_BACKENDS = ['sqlite', 'postgres'] as const;

type SessionBackend = (typeof MEMORY_BACKENDS)[number] | 'redis' | 'redis beside postgres';

/** Where it keeps its sessions; every night also in Redis while memories are in PostgreSQL. */
export const SESSION_BACKENDS: readonly SessionBackend[] = [
  'sqlite',
  'redis',
  'postgres',
  ...(ALL_TESTS ? (['redis beside postgres'] as const) : []),
];

/** A server with sessions in this backend; stopping it stops the backend's processes. */
export async function startSessionServer(
  backend: SessionBackend,
  flags: Record<string, string> = {},
  overrides: Overrides = {},
): Promise<TestServer> {
  if (backend === 'sqlite') return startTestServer(flags, overrides);
  const redis = backend === 'postgres' ? undefined : await RedisServer.started();
  const postgres = backend === 'redis' ? undefined : await PostgresServer.started({ parameters: { fsync: 'off' } });
  const mneme = await startTestServer(flags, overrides, {
    ...(redis && { MNEME_REDIS_URL: redis.url }),
    ...(postgres && { MNEME_POSTGRES_URL: postgres.url }),
  });
  return {
    ...mneme,
    async stop() {
      await mneme.stop();
      await redis?.stop();
      await postgres?.stop();
      postgres?.remove();
    },
  };
}
