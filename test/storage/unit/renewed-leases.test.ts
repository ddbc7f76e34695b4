import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { RenewedLeases } from '../../../src/storage/renewed-leases.ts';
import { InMemoryLeaseTable } from '../in-memory/lease-table.ts';

const JOB = { name: 'job', keepMs: 0 };
const RENEW_MS = 5_000;
const LEASE_MS = 30_000;
/** As long as a statement of PostgreSQL that gets no answer. */
const HANG_MS = 12_000;

/** The next renewal waits for `late`. */
class LateTable extends InMemoryLeaseTable {
  readonly extended: number[] = [];
  late: Promise<void> | undefined;

  override async extend(lease: Parameters<InMemoryLeaseTable['extend']>[0]): Promise<boolean> {
    const { late } = this;
    this.late = undefined;
    await late;
    this.extended.push(lease.ms);
    return super.extend(lease);
  }
}

describe('leases that are renewed', () => {
  let nowMs = 0;
  beforeEach(() => {
    nowMs = 0;
    jest.useFakeTimers();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  const fail = (error: unknown): void => {
    throw error;
  };
  const open = (table: InMemoryLeaseTable, owner = 'a', onFailure = fail) =>
    new RenewedLeases({ table, owner, nowMs: () => nowMs, onFailure });

  it('a renewal that is late › none follows it before, and the lease is released after it', async () => {
    const table = new LateTable(() => nowMs);
    const release = Promise.withResolvers<void>();
    table.late = release.promise;
    const run = open(table).run(JOB, () => jest.advanceTimersByTimeAsync(2 * RENEW_MS));
    await jest.advanceTimersByTimeAsync(2 * RENEW_MS);
    // All that does not wait for the renewal is done by now.
    await jest.advanceTimersByTimeAsync(0);
    release.resolve();
    expect(await run).toBeDefined();
    expect(table.extended.at(-1)).toBe(0);
    expect(await open(table, 'b').run(JOB, async () => 1)).toEqual({ result: 1 });
  });

  it('a renewal that hangs until the timeout of the store › another one follows before the lease ends', async () => {
    const table = new LateTable(() => nowMs);
    const { promise, reject } = Promise.withResolvers<void>();
    table.late = promise;
    const failures: unknown[] = [];
    const pass = (ms: number) => {
      nowMs += ms;
      return jest.advanceTimersByTimeAsync(ms);
    };
    const run = open(table, 'a', (error) => void failures.push(error)).run(JOB, async (lost) => {
      while (table.late) await pass(1000);
      await pass(HANG_MS);
      reject(new Error('timeout'));
      while (nowMs < LEASE_MS - 1000) await pass(1000);
      // The timer of a renewal at the end of the lease is a moment late.
      nowMs = LEASE_MS;
      return [lost.aborted, await open(table, 'b').run(JOB, async () => 'b')];
    });
    expect(await run).toEqual({ result: [false, undefined] });
    expect(failures).toHaveLength(1);
  });

  it('the answer to the taking is later than the lease › the work has lost it at the next renewal', async () => {
    const table = new InMemoryLeaseTable(() => nowMs);
    const take = table.take.bind(table);
    table.take = async (lease) => {
      const number = await take(lease);
      nowMs += 31_000;
      return number;
    };
    const run = open(table).run(JOB, async (lost) => {
      await jest.advanceTimersByTimeAsync(RENEW_MS);
      return lost.aborted;
    });
    expect(await run).toEqual({ result: true });
  });
});
