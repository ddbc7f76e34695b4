import { type Link, openLink } from '../../support/link.ts';
import { PostgresServer } from '../../support/postgres-server.ts';
import { RedisServer } from '../../support/redis-server.ts';
import type { Mode } from './schedule.ts';

/** Redis or PostgreSQL, with which a server keeps its data. */
export interface Backend {
  /** Settings of a server that uses it. */
  readonly env: Readonly<Record<string, string>>;
  /** Ends its processes without a chance to write anything. */
  kill(): Promise<void>;
  /** Starts it again with the files that it left. */
  start(): Promise<void>;
  freeze(): void;
  thaw(): void;
  /** The network to it, where it is not a local socket. */
  readonly link?: Link;
  remove(): Promise<void>;
}

/** A backend that was frozen, or on a busy machine, is not taken for lost; a killed one breaks its connections. */
const PATIENT_MS = '20000';

/** Writes are on its disk when it acknowledges them. */
const SYNCED = { appendonly: 'yes', appendfsync: 'always' };

export async function openBackend(mode: Mode): Promise<Backend | undefined> {
  if (mode === 'postgres_redis') return openBoth();
  return mode === 'postgres' ? openPostgres() : undefined;
}

async function openRedis(): Promise<Backend> {
  const redis = await RedisServer.started(SYNCED);
  const link = await openLink(() => `127.0.0.1:${redis.port}`);
  return {
    env: {
      MNEME_REDIS_URL: `redis://${link.address}`,
      MNEME_REDIS_CONNECT_TIMEOUT_MS: PATIENT_MS,
      MNEME_REDIS_COMMAND_TIMEOUT_MS: PATIENT_MS,
      MNEME_REDIS_RETRY_MS: '50',
    },
    link,
    kill: () => redis.kill(),
    start: () => redis.start(),
    freeze: () => redis.freeze(),
    thaw: () => redis.thaw(),
    async remove() {
      await link.stop();
      await redis.stop();
    },
  };
}

async function openPostgres(): Promise<Backend> {
  const postgres = await PostgresServer.started();
  return {
    env: {
      MNEME_POSTGRES_URL: postgres.url,
      MNEME_POSTGRES_CONNECT_TIMEOUT_MS: PATIENT_MS,
      MNEME_POSTGRES_STATEMENT_TIMEOUT_MS: PATIENT_MS,
    },
    kill: () => postgres.kill(),
    start: () => postgres.start(),
    freeze: () => postgres.freeze(),
    thaw: () => postgres.thaw(),
    async remove() {
      await postgres.kill();
      postgres.remove();
    },
  };
}

/** Memories in PostgreSQL, texts of the upper tiers and sessions in Redis. They fail in turn. */
async function openBoth(): Promise<Backend> {
  const [redis, postgres] = [await openRedis(), await openPostgres()];
  let failing = postgres;
  const next = () => {
    failing = failing === postgres ? redis : postgres;
    return failing;
  };
  return {
    env: { ...postgres.env, ...redis.env, MNEME_UPPER_TIERS: 'redis' },
    link: redis.link,
    kill: () => next().kill(),
    start: () => failing.start(),
    freeze: () => next().freeze(),
    thaw: () => failing.thaw(),
    async remove() {
      await redis.remove();
      await postgres.remove();
    },
  };
}
