import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ALONE } from '../../../src/storage/job-leases.ts';
import { PostgresLeaseTable } from '../../../src/storage/postgres/lease-table.ts';
import { RenewedLeases } from '../../../src/storage/renewed-leases.ts';
import { newMemory } from '../../support/new-memory.ts';
import { openRecords } from '../../support/postgres-records.ts';
import { POSTGRES_VERSIONS, PostgresServer } from '../../support/postgres-server.ts';
import { InMemoryLeaseTable } from '../in-memory/lease-table.ts';
import { jobLeasesSuite } from './job-leases.suite.ts';
import { getOne, NOW_US, put, SPACE } from './memory-store/store-of-test.ts';

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
      store.write({ kind: 'update', namespace: SPACE, id: 'old', changes: { importance: 1 }, atUs: NOW_US }),
      store.write({ kind: 'delete', namespace: SPACE, ids: ['old'], cause: 'deleted', mustExist: true, atUs: NOW_US }),
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
