import { describe, expect, it } from '@jest/globals';
import { SERVER_ITSELF } from '../../../../../src/memory/principal.ts';
import { OpenStreams } from '../../../../../src/server/operations/streams/open-streams.ts';
import { type WatchMessage, watch } from '../../../../../src/server/operations/streams/watch.ts';
import { VisibilityRules } from '../../../../../src/server/operations/visibility/visibility.ts';
import { ChangeFeed } from '../../../../../src/storage/change-log/change-feed.ts';
import type { ChangePage } from '../../../../../src/storage/change-log/change-log.ts';
import { put, SPACE } from '../../../../storage/conformance/memory-store/store-of-test.ts';
import { InMemoryMemoryStore } from '../../../../storage/in-memory/memory-store.ts';
import { newMemory } from '../../../../support/new-memory.ts';

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

/** Counts the pages that were read from the log in each turn of the event loop. */
class CountedFeed extends ChangeFeed {
  readonly pagesOfTurns = new Map<number, number>();
  private turn = 0;
  private isOver = false;

  countTurns(): void {
    this.turn++;
    if (!this.isOver) setImmediate(() => this.countTurns());
  }

  override stop(): Promise<void> {
    this.isOver = true;
    return super.stop();
  }

  override read(...asked: Parameters<ChangeFeed['read']>): Promise<ChangePage> {
    this.pagesOfTurns.set(this.turn, (this.pagesOfTurns.get(this.turn) ?? 0) + 1);
    return super.read(...asked);
  }
}

const rules = new VisibilityRules({ list: async () => [], atHand: () => [] });
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
    const call = {
      signal: caller.signal,
      deadlineAtMs: Number.POSITIVE_INFINITY,
      callId: 'c',
      principal: SERVER_ITSELF,
      caller: 'somebody',
    };
    const received: WatchMessage[] = [];
    for await (const message of watch(
      { feed, streams: new OpenStreams({ perCallerMax: 1 }), visibilityRules: rules },
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

  it('many callers that read past changes › each turn of the event loop reads one page, and all get all changes', async () => {
    const store = new InMemoryMemoryStore();
    const ids = Array.from({ length: 40 }, (_, at) => `m-${at}`);
    for (const id of ids) await put(store, [newMemory({ id })]);
    const feed = new CountedFeed(store.log, (error) => expect(error).toBeUndefined());
    feed.countTurns();
    const streams = new OpenStreams({ perCallerMax: 10 });
    const received = await Promise.all(
      Array.from({ length: 10 }, async (_, at) => {
        const caller = new AbortController();
        const call = {
          signal: caller.signal,
          deadlineAtMs: Number.POSITIVE_INFINITY,
          callId: `${at}`,
          principal: SERVER_ITSELF,
          caller: 'same',
        };
        const past = { ...request, afterRevision: 0, fingerprint: `f-${at}` };
        const found: string[] = [];
        for await (const message of watch({ feed, streams, visibilityRules: rules }, past, call)) {
          if (message.kind === 'batch')
            found.push(...message.changes.map(({ change }) => change.id).filter((id) => id !== SPACE));
          if (found.length >= ids.length) break;
        }
        return found;
      }),
    );
    await feed.stop();

    for (const found of received) expect(found).toEqual(ids);
    expect(feed.pagesOfTurns.size).toBeGreaterThanOrEqual(received.length);
    expect(Math.max(...feed.pagesOfTurns.values())).toBe(1);
  });
});
