import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { WebhookChange } from '../../../../src/memory/webhook.ts';
import { RepeatingJob } from '../../../../src/server/jobs/repeating-job.ts';
import { OpenStreams } from '../../../../src/server/operations/streams/open-streams.ts';
import { OpenSubscriptions } from '../../../../src/server/operations/streams/open-subscriptions.ts';
import {
  backoffMs,
  FAILURES_MAX,
  type WebhookBatch,
  type WebhookOutcome,
} from '../../../../src/server/operations/streams/webhook-delivery.ts';
import { Webhooks } from '../../../../src/server/operations/streams/webhooks.ts';
import { VisibilityRules } from '../../../../src/server/operations/visibility/visibility.ts';
import { ChangeFeed } from '../../../../src/storage/change-log/change-feed.ts';
import { InMemoryMemoryStore } from '../../../storage/in-memory/memory-store.ts';
import { ManualTimers } from '../../../support/manual-timers.ts';
import { newMemory } from '../../../support/new-memory.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const START_US = 1_800_000_000_000_000;
const WEBHOOK = { url: 'https://example.com/a', headers: {}, secret: 'whsec_one', version: 1 };

interface Sent {
  readonly url: string;
  readonly secret: string;
  readonly id: string;
  readonly ids: readonly string[];
}

/** Webhooks over a store in memory, with a receiver whose answers a test sets. */
class Bench {
  readonly store = new InMemoryMemoryStore();
  readonly timers = new ManualTimers();
  readonly sent: Sent[] = [];
  readonly counts: { readonly delivered: number; readonly failed: number };
  nowUs = START_US;
  /** The answer to the nth request, from 1. */
  answer: (n: number) => WebhookOutcome = () => ({});
  /** Fails to store positions. */
  isStuck = false;
  private readonly webhooks: Webhooks;
  private readonly feed: ChangeFeed;
  private readonly job: RepeatingJob;
  private readonly note = () => undefined;

  constructor(store?: InMemoryMemoryStore) {
    if (store) this.store = store;
    const clock = { nowUs: () => this.nowUs };
    const { subscriptions } = this.store;
    this.feed = new ChangeFeed(this.store.log, () => undefined);
    const positions = Object.create(subscriptions, {
      moveCursors: {
        value: async (write: Parameters<typeof subscriptions.moveCursors>[0]) => {
          if (this.isStuck) throw new Error('the process was killed');
          return subscriptions.moveCursors(write);
        },
      },
    });
    this.webhooks = new Webhooks({
      feed: this.feed,
      streams: new OpenStreams({ perCallerMax: 10 }),
      subscriptions: new OpenSubscriptions(positions, clock, { isClaimed: false }),
      visibilityRules: new VisibilityRules({ list: async () => [], atHand: () => [] }),
      store: subscriptions,
      sender: {
        send: async ({ url, secret }, { id, body }) => {
          const ids = JSON.parse(body.toString()) as string[];
          this.sent.push({ url, secret, id, ids });
          return this.answer(this.sent.length);
        },
      },
      clock,
      timers: this.timers,
      random: () => 0.5,
      bodyOf: async ({ changes }: WebhookBatch) => Buffer.from(JSON.stringify(changes.map(({ change }) => change.id))),
      notices: { parked: this.note, failing: this.note, recovered: this.note, faulted: this.note },
      lookMs: 20 * DAY_MS,
    });
    this.counts = this.webhooks.counts;
    this.job = new RepeatingJob((signal) => this.webhooks.run(signal));
    this.webhooks.onChanged = () => this.job.wake();
    this.job.wake();
  }

  async remember(...ids: string[]): Promise<void> {
    const memories = ids.map((id) => newMemory({ id, createdAtUs: this.nowUs }));
    const write = { namespace: 'n', createNamespace: true, onConflict: 'fail', atUs: this.nowUs, memories } as const;
    await this.store.write({ kind: 'store', ...write });
  }

  async subscribe(): Promise<void> {
    const write = { namespace: 'n', id: 's', mode: 'broadcast', ackDeadlineMs: 30_000, consumerTtlMs: DAY_MS } as const;
    await this.store.subscriptions.createSubscription({ ...write, webhook: WEBHOOK, atUs: this.nowUs });
    this.webhooks.changed();
  }

  async change(change: WebhookChange): Promise<void> {
    await this.store.subscriptions.changeWebhook({ namespace: 'n', id: 's', change, atUs: this.nowUs });
    this.webhooks.changed();
  }

  changed(): void {
    this.webhooks.changed();
  }

  get states() {
    return this.webhooks.states;
  }

  get sentIds(): string[] {
    return this.sent.flatMap(({ ids }) => ids);
  }

  async webhook() {
    return (await this.store.subscriptions.getSubscription('n', 's')).webhook;
  }

  /** Everything is done that needs no time to pass: the store answers at once. */
  async settle(): Promise<void> {
    for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate);
  }

  /** Lets time pass, and everything that follows from it. */
  async pass(ms: number): Promise<void> {
    this.nowUs += ms * 1000;
    this.timers.advance(ms);
    await this.settle();
  }

  async stop(): Promise<void> {
    await this.job.stop();
    await this.feed.stop();
  }
}

let bench: Bench;
beforeEach(async () => {
  bench = new Bench();
  await bench.remember('before');
});
afterEach(() => bench.stop());

async function restarted(): Promise<Bench> {
  await bench.stop();
  bench = new Bench(bench.store);
  await bench.settle();
  return bench;
}

describe('delivery to a webhook', () => {
  it('changes › in order, in batches of at most 100; what was acknowledged is not sent again', async () => {
    await bench.subscribe();
    await bench.settle();
    const ids = Array.from({ length: 250 }, (_, n) => `m${String(n).padStart(3, '0')}`);
    for (const id of ids) await bench.remember(id);
    await bench.settle();
    expect(bench.sentIds).toEqual(ids);
    expect(Math.max(...bench.sent.map(({ ids: batch }) => batch.length))).toBeLessThanOrEqual(100);
    await restarted();
    await bench.remember('later');
    await bench.settle();
    expect(bench.sentIds).toEqual(['later']);
  });

  it('the process is killed after an answer and before the position is stored › the same changes are sent again, with the same id', async () => {
    await bench.subscribe();
    bench.isStuck = true;
    await bench.remember('a');
    await bench.settle();
    const [first] = bench.sent;
    await restarted();
    expect([first?.ids, bench.sent[0]]).toEqual([['a'], first]);
  });

  it('failures › the same message again after pauses that double, then the next changes', async () => {
    bench.answer = (n) => (n <= 3 ? { failure: 'answered with status 500' } : {});
    await bench.subscribe();
    await bench.remember('a');
    await bench.settle();
    await bench.remember('b');
    expect((await bench.webhook())?.failing).toEqual({
      sinceUs: START_US,
      count: 1,
      failure: 'answered with status 500',
      next: { atUs: START_US + 750_000, pauseMs: 750 },
    });
    expect(bench.states).toEqual({ active: 0, failing: 1, parked: 0 });
    await bench.pass(749);
    expect(bench.sent).toHaveLength(1);
    await bench.pass(1);
    expect(bench.sent).toHaveLength(2);
    await bench.pass(1500);
    await bench.pass(3000);
    expect(bench.sent.map(({ ids }) => ids)).toEqual([['a'], ['a'], ['a'], ['a'], ['b']]);
    expect(new Set(bench.sent.map(({ id }) => id)).size).toBe(2);
    expect((await bench.webhook())?.failing).toBeUndefined();
    expect([bench.states, bench.counts]).toEqual([
      { active: 1, failing: 0, parked: 0 },
      { delivered: 2, failed: 3 },
    ]);
  });

  it('pauses › have jitter, and end at an hour', () => {
    expect([backoffMs(1, 0), backoffMs(1, 1), backoffMs(5, 1), backoffMs(99, 1), backoffMs(99, 0)]).toEqual([
      500, 1000, 16_000, 3_600_000, 1_800_000,
    ]);
  });

  it('Retry-After › no attempt is made before', async () => {
    bench.answer = (n) => (n === 1 ? { failure: 'answered with status 503', retryAfterMs: 60_000 } : {});
    await bench.subscribe();
    await bench.remember('a');
    await bench.settle();
    await bench.pass(59_999);
    expect(bench.sent).toHaveLength(1);
    await bench.pass(1);
    expect(bench.sent).toHaveLength(2);
  });

  it('the receiver wants no more (410) › parked until it is resumed, and nothing is lost', async () => {
    bench.answer = (n) => (n === 1 ? { failure: 'answered with status 410', isGone: true } : {});
    await bench.subscribe();
    await bench.remember('a');
    await bench.settle();
    await bench.remember('b');
    await bench.pass(30 * DAY_MS);
    expect([bench.sent.length, bench.states]).toEqual([1, { active: 0, failing: 0, parked: 1 }]);
    await restarted();
    expect(bench.sent).toEqual([]);
    await bench.change({ kind: 'resumed', url: 'https://example.com/b' });
    await bench.settle();
    expect([bench.sentIds, bench.sent[0]?.url]).toEqual([['a', 'b'], 'https://example.com/b']);
  });

  it('a dead URL › parked after 100 failures in a row, about three days later', async () => {
    bench.answer = () => ({ failure: 'connect ECONNREFUSED' });
    await bench.subscribe();
    await bench.remember('a');
    await bench.settle();
    while ((await bench.webhook())?.failing?.next) await bench.pass(3_600_000);
    expect([bench.sent.length, (await bench.webhook())?.failing?.count]).toEqual([FAILURES_MAX, FAILURES_MAX]);
    const all = Array.from({ length: FAILURES_MAX - 1 }, (_, n) => backoffMs(n + 1, 0.5));
    const days = all.reduce((sum, ms) => sum + ms, 0) / DAY_MS;
    expect(days).toBeGreaterThan(2.5);
    expect(days).toBeLessThan(3.5);
  });

  it('resumed while a pause lasts › delivered at once', async () => {
    bench.answer = (n) => (n <= 10 ? { failure: 'answered with status 500' } : {});
    await bench.subscribe();
    await bench.remember('a');
    await bench.settle();
    for (let n = 1; n < 10; n++) await bench.pass(3_600_000);
    expect(bench.sent).toHaveLength(10);
    await bench.change({ kind: 'resumed' });
    await bench.settle();
    expect([bench.sent.length, bench.states.active]).toEqual([11, 1]);
  });

  it('the clock jumps › a pause is as long as it was chosen, also after a restart', async () => {
    bench.answer = (n) => (n === 1 ? { failure: 'answered with status 500' } : {});
    await bench.subscribe();
    await bench.remember('a');
    await bench.settle();
    bench.nowUs -= 400 * DAY_MS * 1000;
    await restarted();
    bench.nowUs = START_US - 400 * DAY_MS * 1000;
    expect(bench.sent).toEqual([]);
    await bench.pass(750);
    expect(bench.sentIds).toEqual(['a']);
    bench.nowUs += 800 * DAY_MS * 1000;
    await bench.remember('b');
    await bench.settle();
    expect(bench.sentIds).toEqual(['a', 'b']);
  });

  it('a rotated secret › signs the next attempt', async () => {
    bench.answer = (n) => (n === 1 ? { failure: 'answered with status 401' } : {});
    await bench.subscribe();
    await bench.remember('a');
    await bench.settle();
    await bench.change({ kind: 'rotated', secret: 'whsec_two', formerUntilUs: START_US + 1000 });
    await bench.pass(750);
    expect(bench.sent.map(({ secret }) => secret)).toEqual(['whsec_one', 'whsec_two']);
  });

  it('deleted subscription, deleted namespace › nothing is sent any more', async () => {
    await bench.subscribe();
    await bench.remember('a');
    await bench.settle();
    await bench.store.subscriptions.deleteSubscription({ namespace: 'n', id: 's', atUs: bench.nowUs });
    bench.changed();
    await bench.remember('b');
    await bench.settle();
    expect(bench.sentIds).toEqual(['a']);
    await restarted();
    await bench.subscribe();
    bench.answer = () => ({ failure: 'answered with status 500' });
    await bench.remember('c');
    await bench.settle();
    await bench.store.write({ kind: 'deleteNamespace', name: 'n', force: true, atUs: bench.nowUs });
    await bench.pass(DAY_MS);
    await bench.pass(DAY_MS);
    expect(bench.sentIds.filter((id) => id !== 'c')).toEqual([]);
    const attempts = bench.sent.length;
    await bench.pass(DAY_MS);
    expect(bench.sent).toHaveLength(attempts);
  });

  it('the log no longer has the next change › parked, with the reason; resuming skips what is lost', async () => {
    await bench.subscribe();
    bench.answer = () => ({ failure: 'answered with status 410', isGone: true });
    await bench.remember('a');
    await bench.settle();
    await bench.remember('b');
    await bench.stop();
    while (!(await bench.store.log.compact({ throughRevision: bench.store.log.revision, limit: 100 })));
    bench = new Bench(bench.store);
    await bench.change({ kind: 'resumed' });
    await bench.settle();
    expect(bench.sent).toEqual([]);
    expect((await bench.webhook())?.failing).toMatchObject({
      isLoss: true,
      failure: expect.stringMatching(/no longer/),
    });
    await bench.change({ kind: 'resumed' });
    await bench.settle();
    await bench.remember('c');
    await bench.settle();
    expect([bench.sentIds, (await bench.webhook())?.skipsLost]).toEqual([['c'], undefined]);
  });
});
