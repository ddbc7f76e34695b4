import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { InMemoryLeaseTable } from '../../src/storage/in-memory/lease-table.ts';
import { ALONE } from '../../src/storage/job-leases.ts';
import { PostgresLeaseTable } from '../../src/storage/postgres/lease-table.ts';
import { RedisLeaseTable } from '../../src/storage/redis/lease-table.ts';
import { openRedis } from '../../src/storage/redis/open-connection.ts';
import { RenewedLeases } from '../../src/storage/renewed-leases.ts';
import type { SharedMemoryStore } from '../../src/storage/shared/shared-memory-store.ts';
import { newMemory } from '../support/new-memory.ts';
import { PATIENT_REDIS } from '../support/patient-redis.ts';
import { openRecords } from '../support/postgres-records.ts';
import { POSTGRES_VERSIONS, PostgresServer } from '../support/postgres-server.ts';
import { RedisServer } from '../support/redis-server.ts';
import { openSharedStore } from '../support/shared-store.ts';
import { jobLeasesSuite } from './job-leases.suite.ts';
import { getOne, NOW_US, put, SPACE } from './memory-store/store-of-test.ts';

let redis: RedisServer;
beforeAll(async () => {
  redis = await RedisServer.started();
});
afterAll(async () => {
  await redis.stop();
});

jobLeasesSuite({
  name: 'alone',
  create: async () => ({ servers: [ALONE], close: async () => undefined }),
});

const JOB = { name: 'job', keepMs: 0 };
const fail = (error: unknown) => {
  throw error;
};

jobLeasesSuite({
  name: 'in-memory',
  create: async () => {
    const table = new InMemoryLeaseTable();
    const servers = ['a', 'b'].map((owner) => new RenewedLeases({ table, owner, onFailure: fail }));
    return { servers, close: async () => undefined };
  },
});

jobLeasesSuite({
  name: 'redis',
  create: async () => {
    await redis.command('FLUSHALL');
    const connection = await openRedis({ ...PATIENT_REDIS, urls: [redis.url] });
    const table = new RedisLeaseTable(connection, 'mneme:{log:shared}');
    const servers = ['a', 'b'].map((owner) => new RenewedLeases({ table, owner, onFailure: fail }));
    return { servers, close: () => connection.close() };
  },
});

describe('leases in Redis', () => {
  it('Redis loses them › numbers rise all the same, and former takings are not extended', async () => {
    const connection = await openRedis({ ...PATIENT_REDIS, urls: [redis.url] });
    try {
      const table = new RedisLeaseTable(connection, 'mneme:{log:shared}');
      const [job, ms] = ['job', 60_000];
      const first = await table.take({ job, owner: 'a', ms });
      await redis.command('FLUSHALL');
      expect(await table.extend({ job, number: first ?? 0, ms })).toBe(false);
      expect(await table.take({ job, owner: 'b', ms })).toBeGreaterThan(first ?? Number.POSITIVE_INFINITY);
    } finally {
      await connection.close();
    }
  });
});

describe.each(POSTGRES_VERSIONS)('PostgreSQL %s', (version) => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await PostgresServer.started({ version, parameters: { fsync: 'off' } });
  });
  afterAll(async () => {
    await server.stop();
    server.remove();
  });

  jobLeasesSuite({
    name: 'postgres',
    create: async () => {
      const { records, close } = await openRecords({ url: server.url });
      const table = new PostgresLeaseTable(records.access);
      const servers = ['a', 'b'].map((owner) => new RenewedLeases({ table, owner, onFailure: fail }));
      return { servers, close };
    },
  });

  describe('a server that was asleep during its job', () => {
    /** Records of two servers with leases: that of the first ends at once and is not renewed, as if it slept. */
    async function asleep(
      work: (opened: {
        readonly store: Awaited<ReturnType<typeof openRecords>>['store'];
        readonly access: Awaited<ReturnType<typeof openRecords>>['records']['access'];
        readonly sleeper: RenewedLeases;
        readonly other: RenewedLeases;
      }) => Promise<void>,
    ): Promise<void> {
      const { records, store, close } = await openRecords({ url: server.url });
      const { access } = records;
      const table = new PostgresLeaseTable(access);
      const sleeper = new RenewedLeases({ table, owner: 'a', leaseMs: 0, renewEveryMs: 3_600_000, onFailure: fail });
      const other = new RenewedLeases({ table, owner: 'b', onFailure: fail });
      await put(store, [newMemory({ id: 'old' })]);
      try {
        await work({ store, access, sleeper, other });
      } finally {
        await close();
      }
    }
    const writeAll = (store: Awaited<ReturnType<typeof openRecords>>['store']) => [
      put(store, [newMemory({ id: 'new' })]),
      store.update({ namespace: SPACE, id: 'old', changes: { importance: 1 }, atUs: NOW_US }),
      store.delete({ namespace: SPACE, ids: ['old'], cause: 'deleted', mustExist: true, atUs: NOW_US }),
    ];

    it('another has taken the lease › its writes fail and change nothing, it is told; writes beside the job go on', async () => {
      await asleep(async ({ store, access, sleeper, other }) => {
        await sleeper.run(JOB, async (lost) => {
          await other.run(JOB, async () => undefined);
          const results = await Promise.allSettled([...writeAll(store), access.transaction(async () => undefined)]);
          expect(results.map((one) => (one.status === 'rejected' ? (one.reason as Error).name : one.status))).toEqual(
            results.map(() => 'LeaseLost'),
          );
          expect(lost.aborted).toBe(true);
        });
        expect(sleeper.counts).toContainEqual({ job: 'job', outcome: 'lost', count: 1 });
        expect((await getOne(store, 'old'))?.importance).toBe(0.5);
        expect(await getOne(store, 'new')).toBeUndefined();
        // The one that has it now keeps it.
        await other.run(JOB, async (lost) => {
          expect(await sleeper.run(JOB, async () => 1)).toBeUndefined();
          await Promise.all(writeAll(store).slice(0, 2));
          expect(lost.aborted).toBe(false);
        });
        expect((await getOne(store, 'new'))?.id).toBe('new');
      });
    });

    it('none has taken the lease › its writes succeed, none else can have done the work', async () => {
      await asleep(async ({ store, sleeper }) => {
        expect(await sleeper.run(JOB, () => Promise.all(writeAll(store).slice(0, 1)))).toBeDefined();
        expect((await getOne(store, 'new'))?.id).toBe('new');
      });
    });

    it('the lease is taken while a write of it commits › it is taken after the commit', async () => {
      await asleep(async ({ store, access, sleeper, other }) => {
        let taken = false;
        let taking: Promise<unknown> | undefined;
        await sleeper.run(JOB, () =>
          access.transaction(async (session) => {
            taking = other.run(JOB, async () => {
              taken = true;
            });
            // The other waits for this transaction, however long it takes.
            for (let at = 0; at < 10; at++) await getOne(store, 'old');
            await session.runAll([]);
            expect(taken).toBe(false);
          }),
        );
        await taking;
        expect(taken).toBe(true);
      });
    });
  });
});

describe('a server that was asleep during its job on a shared log', () => {
  /** Stores of two servers, and leases of both: that of the first ends at once and is not renewed, as if it slept. */
  async function asleep(
    work: (opened: {
      readonly stores: readonly [SharedMemoryStore, SharedMemoryStore];
      readonly sleeper: RenewedLeases;
      readonly other: RenewedLeases;
    }) => Promise<void>,
  ): Promise<void> {
    await redis.command('FLUSHALL');
    const connection = await openRedis({ ...PATIENT_REDIS, urls: [redis.url] });
    const [one, two] = [await openSharedStore({ url: redis.url }), await openSharedStore({ url: redis.url })];
    const table = new RedisLeaseTable(connection, 'mneme:{log:shared}');
    const sleeper = new RenewedLeases({ table, owner: 'a', leaseMs: 0, renewEveryMs: 3_600_000, onFailure: fail });
    const other = new RenewedLeases({ table, owner: 'b', onFailure: fail });
    await put(one.store, [newMemory({ id: 'old' })]);
    try {
      await work({ stores: [one.store, two.store], sleeper, other });
    } finally {
      await one.close();
      await two.close();
      await connection.close();
    }
  }
  const changes = (store: SharedMemoryStore) => [
    put(store, [newMemory({ id: 'new' })]),
    store.update({ namespace: SPACE, id: 'old', changes: { importance: 1 }, atUs: NOW_US }),
  ];

  it('another has taken the lease › its writes fail and change nothing; those of calls in the same batch succeed', async () => {
    await asleep(async ({ stores: [one, two], sleeper, other }) => {
      let called: Promise<unknown> | undefined;
      const begun = Promise.withResolvers<void>();
      const ended = begun.promise.then(() => {
        called = put(one, [newMemory({ id: 'called' })]);
      });
      await sleeper.run(JOB, async (lost) => {
        await other.run(JOB, async () => undefined);
        const writes = changes(one);
        begun.resolve();
        const results = await Promise.allSettled(writes);
        expect(results.map((each) => each.status === 'rejected' && (each.reason as Error).name)).toEqual(
          results.map(() => 'LeaseLost'),
        );
        expect(lost.aborted).toBe(true);
      });
      await ended;
      await called;
      expect((await getOne(two, 'old'))?.importance).toBe(0.5);
      expect(await getOne(two, 'new')).toBeUndefined();
      expect((await getOne(two, 'called'))?.id).toBe('called');
      // The one that has it now keeps it.
      await other.run(JOB, async (lost) => {
        expect(await sleeper.run(JOB, async () => 1)).toBeUndefined();
        await Promise.all(changes(two));
        expect(lost.aborted).toBe(false);
      });
      expect((await getOne(one, 'new'))?.id).toBe('new');
    });
  });

  it('none has taken the lease › its writes succeed', async () => {
    await asleep(async ({ stores: [one, two], sleeper }) => {
      expect(await sleeper.run(JOB, () => Promise.all(changes(one)))).toBeDefined();
      expect((await getOne(two, 'new'))?.id).toBe('new');
    });
  });

  it('Redis is emptied meanwhile › its writes fail, as another may run the job', async () => {
    await asleep(async ({ stores: [one], sleeper }) => {
      await sleeper.run(JOB, async (lost) => {
        await redis.command('FLUSHALL');
        const results = await Promise.allSettled(changes(one));
        expect(results.map((each) => each.status === 'rejected' && (each.reason as Error).name)).toEqual(
          results.map(() => 'LeaseLost'),
        );
        expect(lost.aborted).toBe(true);
      });
      // Beside a job, writes go on.
      await put(one, [newMemory({ id: 'new' })]);
    });
  });
});
