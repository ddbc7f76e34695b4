import type { Overrides } from '../../../src/server.ts';
import { PostgresServer } from '../../support/postgres-server.ts';
import { RedisServer } from '../../support/redis-server.ts';
import { startTestServer, type TestServer } from './test-server.ts';

/** Where a server of a test keeps its sessions. */
export const SESSION_BACKENDS = ['sqlite', 'redis', 'postgres'] as const;

/** The same, of tests that are of sessions alone. */
export const SESSION_STORES = [...SESSION_BACKENDS, 'redis beside postgres'] as const;

/** A server with sessions in this backend; stopping it stops the backend's processes. */
export async function startSessionServer(
  backend: (typeof SESSION_STORES)[number],
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
