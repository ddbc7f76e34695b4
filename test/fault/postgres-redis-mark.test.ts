import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type OwnerParts, RedisOfSessions } from '../../src/server/assembly/open-sessions-beside-postgres.ts';
import { ALONE } from '../../src/storage/job-leases.ts';
import { SessionOwner } from '../../src/storage/postgres/sessions/session-owner.ts';
import type { RedisConnection } from '../../src/storage/redis/connection.ts';
import { openRedis } from '../../src/storage/redis/open-connection.ts';
import { SessionMark } from '../../src/storage/redis/sessions/session-mark.ts';
import { loggerInto } from '../server/grpc/support/test-server.ts';
import { PATIENT_REDIS } from '../support/patient-redis.ts';
import { PostgresServer } from '../support/postgres-server.ts';
import { openSessionsOfTest } from '../support/postgres-sessions.ts';
import { RedisServer } from '../support/redis-server.ts';

/** After its next read of the mark, `meanwhile` happens before it answers. */
class SlowOwner extends SessionOwner {
  meanwhile: (() => Promise<unknown>) | undefined;

  override async mark(): Promise<string | undefined> {
    const found = await super.mark();
    const { meanwhile } = this;
    this.meanwhile = undefined;
    await meanwhile?.();
    return found;
  }
}

let postgres: PostgresServer;
let server: RedisServer;
let redis: RedisConnection;
beforeAll(async () => {
  postgres = await PostgresServer.started({ parameters: { fsync: 'off' } });
  server = await RedisServer.started();
  redis = await openRedis({ ...PATIENT_REDIS, urls: [server.url] });
}, 120_000);
afterAll(async () => {
  await redis.close();
  await server.stop();
  await postgres.stop();
  postgres.remove();
});

describe('two servers that start together with the same PostgreSQL and Redis', () => {
  const settle = (prefix: string, owner: SessionOwner): Promise<string> => {
    const parts: OwnerParts = {
      owner,
      isLocked: async () => false,
      mark: new SessionMark(redis, prefix),
      leases: ALONE,
      config: { redisKeyPrefix: prefix },
      logger: loggerInto([]),
    };
    return new RedisOfSessions(parts).settle();
  };

  it.each([
    ['for the first time', 'first', undefined],
    ['where Redis has lost the mark', 'lost', 'former'],
  ])(
    '%s, one while the other reads PostgreSQL › both have the same mark',
    async (_, prefix, former) => {
      const opened = await openSessionsOfTest({ url: postgres.url });
      try {
        const { access } = opened.records;
        const owner = new SessionOwner(access);
        if (former !== undefined) await owner.giveToRedis(former);
        const late = new SlowOwner(access);
        let settled: string | undefined;
        late.meanwhile = async () => {
          settled = await settle(prefix, owner);
        };
        expect(await settle(prefix, late)).toBe(await owner.mark());
        expect(settled).toBe(await owner.mark());
        expect(await new SessionMark(redis, prefix).read()).toBe(settled);
      } finally {
        await opened.close();
      }
    },
    60_000,
  );
});
