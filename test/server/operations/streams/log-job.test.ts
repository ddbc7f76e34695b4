import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { logJob } from '../../../../src/server/jobs/repeating-job.ts';
import { createLogger } from '../../../../src/server/logger.ts';
import { LogRetention } from '../../../../src/server/operations/streams/log-retention.ts';
import { type Consumer, OpenSubscriptions } from '../../../../src/server/operations/streams/open-subscriptions.ts';
import { InMemoryMemoryStore } from '../../../storage/in-memory/memory-store.ts';
import { newMemory } from '../../../support/new-memory.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const named = (name: string): Consumer => ({ name, wake: () => undefined, end: () => undefined });

let store: InMemoryMemoryStore;
let nowUs: number;
const clock = { nowUs: () => nowUs };
beforeEach(() => {
  store = new InMemoryMemoryStore();
  nowUs = 1_800_000_000_000_000;
});
afterEach(() => store.close());

/** Runs the job once, to its end. */
async function runOnce(open: OpenSubscriptions): Promise<void> {
  const retention = new LogRetention(store.log, clock, { countMax: 1000, bytesMax: 1_000_000, ageMaxMs: DAY_MS });
  const { subscriptions } = store;
  const ran = Promise.withResolvers<void>();
  const received = Object.create(subscriptions, {
    forgetConsumers: {
      value: (write: { atUs: number }) => subscriptions.forgetConsumers(write).finally(ran.resolve),
    },
  });
  const logger = createLogger({ logLevel: 'silent', logFormat: 'json' });
  const job = logJob({ retention, subscriptions: received, open, clock }, DAY_MS, logger);
  job.wake();
  await ran.promise;
  await job.stop();
}

describe('the job that keeps the change log', () => {
  it('a connected but silent consumer › is kept, a disconnected one is forgotten', async () => {
    const memories = [newMemory({ id: 'm', createdAtUs: nowUs })];
    await store.write({
      kind: 'store',
      namespace: 'n',
      createNamespace: true,
      onConflict: 'fail',
      atUs: nowUs,
      memories,
    });
    const write = { namespace: 'n', id: 's', mode: 'broadcast', ackDeadlineMs: 30_000, consumerTtlMs: DAY_MS } as const;
    await store.subscriptions.createSubscription({ ...write, atUs: nowUs });
    const open = new OpenSubscriptions(store.subscriptions, clock);
    for (const name of ['silent', 'gone']) {
      const consumer = named(name);
      const entered = await open.enter('n', 's', consumer);
      entered.ledgerOf(name, open.nowMs);
      await open.save();
      if (name === 'gone') await open.leave(entered, consumer);
    }
    nowUs += 2 * DAY_MS * 1000;
    await runOnce(open);

    const { cursors } = await store.subscriptions.getSubscription('n', 's');
    expect(cursors.map(({ consumer }) => consumer)).toEqual(['silent']);
  });
});
