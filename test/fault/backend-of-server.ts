import { PostgresServer } from '../support/postgres-server.ts';
import { RedisServer } from '../support/redis-server.ts';

/** Stores of the only server while it is killed and started again. */
export const BACKENDS = ['a data folder', 'PostgreSQL, and sessions in Redis'] as const;
export type Backend = (typeof BACKENDS)[number];

export interface BackendOfServer {
  /** Environment of `mneme serve`. */
  readonly env: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

export async function startBackend(backend: Backend): Promise<BackendOfServer> {
  if (backend === 'a data folder') return { env: {}, stop: async () => undefined };
  const redis = await RedisServer.started({ appendonly: 'yes', appendfsync: 'everysec' });
  const postgres = await PostgresServer.started({ parameters: { fsync: 'off' } });
  // Only the server is killed: a busy Redis is not taken for a lost one.
  const patient = { MNEME_REDIS_COMMAND_TIMEOUT_MS: '20000', MNEME_REDIS_RETRY_MS: '50' };
  return {
    env: { MNEME_REDIS_URL: redis.url, MNEME_POSTGRES_URL: postgres.url, ...patient },
    async stop() {
      await redis.stop();
      await postgres.stop();
      postgres.remove();
    },
  };
}
