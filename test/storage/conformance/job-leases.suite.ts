import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { JobLeases } from '../../../src/storage/job-leases.ts';

export interface JobLeasesSubject {
  readonly name: string;
  /** Leases of servers that share a store; one where it is not shared. */
  create(): Promise<{ readonly servers: readonly JobLeases[]; close(): Promise<void> }>;
}

const JOB = { name: 'job', keepMs: 0 };

/** Contract of all `JobLeases`. */
export function jobLeasesSuite({ name, create }: JobLeasesSubject): void {
  describe(`leases of jobs (${name})`, () => {
    let servers: readonly JobLeases[];
    let close: () => Promise<void>;
    let one: JobLeases;
    beforeEach(async () => {
      ({ servers, close } = await create());
      const [first] = servers;
      if (!first) throw new Error('at least one server');
      one = first;
    });
    afterEach(async () => {
      for (const server of servers) await server.close();
      await close();
    });

    it('work › runs, and its result or failure is the answer', async () => {
      expect(await one.run(JOB, async () => 7)).toEqual({ result: 7 });
      const failing = one.run(JOB, async () => {
        throw new Error('no');
      });
      await expect(failing).rejects.toThrow('no');
      expect(await one.run(JOB, async (lost) => lost.aborted)).toEqual({ result: false });
    });

    it('counts › are of this server, by job and outcome', async () => {
      const others = servers.slice(1);
      await one.run(JOB, async () => {
        for (const other of others) await other.run(JOB, async () => undefined);
      });
      const counted = servers.length > 1 ? [{ job: 'job', outcome: 'taken', count: 1 }] : [];
      expect(one.counts).toEqual(counted);
      for (const other of others) expect(other.counts).toEqual([{ job: 'job', outcome: 'elsewhere', count: 1 }]);
    });

    it('another server asks during the work › it does not run there; another job does; afterwards it does', async () => {
      for (const other of servers.slice(1)) {
        await one.run(JOB, async () => {
          expect(await other.run(JOB, async () => 1)).toBeUndefined();
          expect(await other.run({ ...JOB, name: 'other' }, async () => 1)).toEqual({ result: 1 });
        });
        expect(await other.run(JOB, async () => 2)).toEqual({ result: 2 });
      }
    });

    it('a lease that is kept › the job stays at its server until that closes', async () => {
      const kept = { ...JOB, keepMs: 3_600_000 };
      for (const other of servers.slice(1)) {
        await one.run(kept, async () => 1);
        expect(await one.run(kept, async () => 2)).toEqual({ result: 2 });
        expect(await other.run(kept, async () => 3)).toBeUndefined();
        await one.close();
        expect(await other.run(JOB, async () => 4)).toEqual({ result: 4 });
      }
    });

    it('many at once › at most one runs at a time', async () => {
      let running = 0;
      let most = 0;
      const turns = servers.flatMap((server) =>
        Array.from({ length: 10 }, async () => {
          for (let at = 0; at < 5 && servers.length > 1; at++) {
            await server.run({ name: `turn of ${servers.indexOf(server)}`, keepMs: 0 }, async () => undefined);
          }
        }),
      );
      await Promise.all(turns);
      const one = async (server: JobLeases) => {
        for (let at = 0; at < 20; at++) {
          await server.run(JOB, async () => {
            most = Math.max(most, ++running);
            await new Promise(setImmediate);
            running--;
          });
        }
      };
      await Promise.all(servers.map(one));
      expect(most).toBe(1);
    });
  });
}
