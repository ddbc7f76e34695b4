import type { MemoryGauge } from '../../memory/meters.ts';
import type { JobLeases } from '../../storage/job-leases.ts';
import type { PostgresRecords } from '../../storage/postgres/record-store.ts';
import { openPostgresSessions, type PostgresSessions } from '../../storage/postgres/sessions/open-sessions.ts';
import { SessionOwner } from '../../storage/postgres/sessions/session-owner.ts';
import { type Config, ConfigError } from '../config/config.ts';
import type { Logger } from '../logger.ts';
import type { WatchedBackend } from '../operations/admin/backend-health.ts';

/** Sessions of servers whose memories are in PostgreSQL. */
export interface PostgresSessionParts extends PostgresSessions {
  /** External stores of sessions besides PostgreSQL. */
  readonly backends: readonly WatchedBackend[];
  /** Memory of Redis that is freed when memories move to long-term memory. */
  readonly gauges: readonly MemoryGauge[];
  /** Parts that do not work, or have lost data since the start. */
  degraded(): readonly string[];
}

/**
 * Opens the sessions in the Redis of the settings, or in PostgreSQL where they name none. Fails, in one line, where the
 * other servers of this PostgreSQL have them elsewhere.
 */
export async function openPostgresSessionParts(
  config: Config,
  records: PostgresRecords,
  leases: JobLeases,
  logger: Logger,
): Promise<PostgresSessionParts> {
  if (config.redisUrl.length > 0) return openInRedis(config, records, leases, logger.child({ part: 'redis' }));
  if ((await new SessionOwner(records.access).mark()) !== undefined) {
    throw new ConfigError([
      'MNEME_POSTGRES_URL: the sessions of its servers are in Redis. Expected MNEME_REDIS_URL besides, as at the others (docs/postgres.md)',
    ]);
  }
  return { ...(await openPostgresSessions(records)), backends: [], gauges: [], degraded: () => [] };
}

/** Redis is loaded only on demand, to keep the start short. */
async function openInRedis(
  config: Config,
  records: PostgresRecords,
  leases: JobLeases,
  logger: Logger,
): Promise<PostgresSessionParts> {
  const { openSessionsBesidePostgres } = await import('./open-sessions-beside-postgres.ts');
  const closers: (() => Promise<void>)[] = [];
  const close = async (): Promise<void> => {
    for (const end of closers.splice(0).reverse()) await end();
  };
  try {
    const opened = await openSessionsBesidePostgres(config, records, leases, logger, closers);
    const { sessions, events, hookPeers, backend, gauges, degraded } = opened;
    return { sessions, events, hookPeers, close, backends: [backend], gauges, degraded };
  } catch (error) {
    await leases.close();
    await close();
    throw error;
  }
}
