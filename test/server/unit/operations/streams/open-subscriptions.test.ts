import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { type Consumer, OpenSubscriptions } from '../../../../../src/server/operations/streams/open-subscriptions.ts';
import { InMemoryMemoryStore } from '../../../../storage/in-memory/memory-store.ts';
import { newMemory } from '../../../../support/new-memory.ts';

const AT_US = 1_800_000_000_000_000;

let store: InMemoryMemoryStore;
beforeEach(async () => {
  store = new InMemoryMemoryStore();
  const memories = [newMemory({ id: 'm' })];
  await store.write({
    kind: 'store',
    namespace: 'n',
    createNamespace: true,
    onConflict: 'fail',
    atUs: AT_US,
    memories,
  });
  const limits = { ackDeadlineMs: 30_000, consumerTtlMs: 60_000 };
  await store.subscriptions.createSubscription({ namespace: 'n', id: 's', mode: 'broadcast', ...limits, atUs: AT_US });
});
afterEach(() => store.close());

// Each number of turns is another moment of the write in hand, or after it.
test.each([0, 1, 2, 3, 4, 5, 6, 7, 8])(
  'cursors are saved %i turns after another save › both are durable when the later one resolves',
  async (turns) => {
    const open = new OpenSubscriptions(store.subscriptions, { nowUs: () => AT_US });
    const consumer: Consumer = { name: 'ann', wake: () => undefined, end: () => undefined };
    const entered = await open.enter('n', 's', consumer);
    entered.move('ann', 10, open.nowMs);
    const first = open.save();
    for (let turn = 0; turn < turns; turn++) await Promise.resolve();
    entered.move('ann', 20, open.nowMs);
    await open.save();

    const { cursors } = await store.subscriptions.getSubscription('n', 's');
    expect(cursors.map(({ acknowledgedRevision }) => acknowledgedRevision)).toEqual([20]);
    await first;
  },
);
