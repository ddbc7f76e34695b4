import { PostgresServer } from '../support/postgres-server.ts';
import { RedisServer } from '../support/redis-server.ts';

/** Where the only server keeps its memories while it is killed and started again. */
export type Backend = 'a data folder' | 'Redis' | 'shared Redis' | 'PostgreSQL, and sessions in Redis';

export interface BackendOfServer {
  /** Environment of `mneme serve`. */
  readonly env: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

export async function startBackend(backend: Backend): Promise<BackendOfServer> {
  if (backend === 'a data folder') return { env: {}, stop: async () => undefined };
  const redis = await RedisServer.started({ appendonly: 'yes', appendfsync: 'everysec' });
  const postgres =
    backend === 'PostgreSQL, and sessions in Redis'
      ? await PostgresServer.started({ parameters: { fsync: 'off' } })
      : undefined;
  const shared = backend === 'shared Redis' ? { MNEME_REDIS_SHARED: 'true' } : {};
  // Only the server is killed: a busy Redis is not taken for a lost one.
  const patient = { MNEME_REDIS_COMMAND_TIMEOUT_MS: '20000', MNEME_REDIS_RETRY_MS: '50' };
  return {
    env: { MNEME_REDIS_URL: redis.url, ...patient, ...shared, ...(postgres && { MNEME_POSTGRES_URL: postgres.url }) },
    async stop() {
      await redis.stop();
      await postgres?.stop();
      postgres?.remove();
    },
  };
}
