import { describe, expect, it } from '@jest/globals';
import { ChangeFeed } from '../../../../src/change-log/change-feed.ts';
import type { ChangePage } from '../../../../src/change-log/change-log.ts';
import { OpenStreams } from '../../../../src/operations/streams/open-streams.ts';
import { type WatchMessage, watch } from '../../../../src/operations/streams/watch.ts';
import { VisibilityRules } from '../../../../src/operations/visibility/visibility.ts';
import { InMemoryMemoryStore } from '../../../../src/storage/in-memory/memory-store.ts';
import { put, SPACE } from '../../../conformance/memory-store/store-of-test.ts';
import { newMemory } from '../../../support/new-memory.ts';

/** Runs an action between the read of a page and its delivery. */
class OvertakenFeed extends ChangeFeed {
  private meanwhile: (() => Promise<void>) | undefined;

  overtakeOnce(meanwhile: () => Promise<void>): void {
    this.meanwhile = meanwhile;
  }

  override async read(...asked: Parameters<ChangeFeed['read']>): Promise<ChangePage> {
    const page = await super.read(...asked);
    const { meanwhile } = this;
    this.meanwhile = undefined;
    await meanwhile?.();
    return page;
  }
}

const request = {
  namespace: SPACE,
  includeTouched: false,
  includeMoved: false,
  heartbeatMs: 60_000,
  batchMax: 10,
  batchBytesMax: 1e6,
  fingerprint: 'f',
};

describe('watch', () => {
  it('a change that arrives while an empty page is read › is delivered, without a later one', async () => {
    const store = new InMemoryMemoryStore();
    await put(store, [newMemory({ id: 'before' })]);
    const failures: unknown[] = [];
    const feed = new OvertakenFeed(store.log, (error) => failures.push(error));
    const tail = await feed.open(SPACE);
    feed.overtakeOnce(async () => {
      const isRead = new Promise<void>((resolve) => tail.listeners.add(resolve));
      await put(store, [newMemory({ id: 'later' })]);
      await isRead;
    });
    const caller = new AbortController();
    const call = { signal: caller.signal, deadlineAtMs: Number.POSITIVE_INFINITY, callId: 'c', caller: 'somebody' };
    const visibilityRules = new VisibilityRules({ list: async () => [], atHand: () => [] });
    const received: WatchMessage[] = [];
    for await (const message of watch(
      { feed, streams: new OpenStreams({ perCallerMax: 1 }), visibilityRules },
      request,
      call,
    )) {
      received.push(message);
      if (message.kind === 'batch') break;
    }
    feed.close(tail);
    await feed.stop();

    expect(
      received.map((message) =>
        message.kind === 'batch' ? message.changes.map(({ change }) => change.id) : message.kind,
      ),
    ).toEqual(['created', ['later']]);
    expect(failures).toEqual([]);
  });
});
