import { expect, test } from '@jest/globals';
import { type LogLimits, LogRetention } from '../../../../../src/server/operations/streams/log-retention.ts';
import type { ChangeLog } from '../../../../../src/storage/change-log/change-log.ts';

const NONE: LogLimits = { countMax: 1e9, bytesMax: 1e9, ageMaxMs: 1e9 };

/** Entries of ten bytes, one a millisecond, of which the oldest can be forgotten. */
class TestLog {
  compacted = 0;
  longest = 0;
  newest = 0;

  async compactedRevision(): Promise<number> {
    return this.compacted;
  }

  async measure({ afterRevision, limit }: { afterRevision: number; limit: number }) {
    const throughRevision = afterRevision + limit;
    if (throughRevision > this.newest) return undefined;
    return { throughRevision, count: limit, bytes: 10 * limit, newestAtUs: throughRevision * 1000 };
  }

  async compact({ throughRevision, limit }: { throughRevision: number; limit: number }): Promise<boolean> {
    const reached = Math.min(throughRevision, this.compacted + limit);
    this.longest = Math.max(this.longest, reached - this.compacted);
    this.compacted = reached;
    return reached === throughRevision;
  }
}

async function compactedBy(limits: Partial<LogLimits>, newest = 10_000): Promise<TestLog> {
  const log = new TestLog();
  log.newest = newest;
  const clock = { nowUs: () => newest * 1000 };
  const retention = new LogRetention(log as unknown as ChangeLog, clock, { ...NONE, ...limits });
  while (!(await retention.enforce()).isDone);
  return log;
}

test('LogRetention › within all limits nothing is compacted', async () => {
  expect((await compactedBy({})).compacted).toBe(0);
});

test.each([
  ['count', { countMax: 4000 }],
  ['bytes', { bytesMax: 40_000 }],
  ['age', { ageMaxMs: 4000 }],
])('LogRetention › beyond the limit of %s the oldest are forgotten, and no more than that', async (_, limits) => {
  const { compacted } = await compactedBy(limits);
  expect(compacted).toBeGreaterThanOrEqual(5000);
  expect(compacted).toBeLessThanOrEqual(6000);
});

test('LogRetention › a great deal is forgotten little by little', async () => {
  const { compacted, longest } = await compactedBy({ countMax: 1000 }, 200_000);
  expect(compacted).toBe(199_000);
  expect(longest).toBeLessThanOrEqual(1000);
});
