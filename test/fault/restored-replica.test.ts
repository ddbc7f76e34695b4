import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { RedisSubscriptions } from '../../src/storage/redis/subscriptions/subscription-store.ts';
import { NOW_US, put, SPACE } from '../conformance/memory-store/store-of-test.ts';
import { newMemory } from '../support/new-memory.ts';
import { RedisServer } from '../support/redis-server.ts';
import { openTieredStore } from '../support/tiered-store.ts';

let redis: RedisServer;
let at: string;
beforeEach(async () => {
  redis = await RedisServer.started();
  at = await mkdtemp(join(tmpdir(), 'mneme-restored-'));
});
afterEach(async () => {
  await redis.stop();
  await rm(at, { recursive: true });
});

/** A data folder that follows the Redis, with the subscriptions that are kept there. */
async function open(folder: string) {
  const { store, hot, streams: log, close } = await openTieredStore({ folder, urls: [redis.url] });
  const subscriptions = new RedisSubscriptions({
    connection: hot.keyspaces.connection,
    prefix: 'mneme',
    idempotencyRetentionMs: 3_600_000,
    log,
    clock: { nowUs: () => NOW_US },
  });
  return { store, log, subscriptions, close };
}
type Opened = Awaited<ReturnType<typeof open>>;

async function write({ store }: Opened, name: string, count: number): Promise<void> {
  for (let n = 0; n < count; n++) await put(store, [newMemory({ id: `${name}${n}`, text: name })]);
  await store.follower.catchUp(SPACE);
}

describe('a data folder that follows a Redis is replaced by an older copy of it', () => {
  it('cursors in Redis › stay valid by the shared log, and skip nothing, however far the log has come', async () => {
    const [data, copy] = [join(at, 'data'), join(at, 'copy')];
    let server = await open(data);
    await write(server, 'kept', 5);
    const { subscription } = await server.subscriptions.createSubscription({
      namespace: SPACE,
      id: 's',
      mode: 'broadcast',
      ackDeadlineMs: 30_000,
      consumerTtlMs: 3_600_000,
      atUs: NOW_US,
    });
    await server.close();
    await cp(data, copy, { recursive: true });
    server = await open(data);
    await write(server, 'acknowledged', 10);
    // Entries that the copy lacks when the rest is repeated: new changes get their revisions.
    for (let n = 0; n < 10; n++) {
      await put(server.store, [newMemory({ id: `elsewhere${n}` })], { namespace: 'elsewhere' });
    }
    await server.store.follower.catchUp('elsewhere');
    await server.subscriptions.getSubscription(SPACE, 's');
    const acknowledged = {
      subscriptionKey: subscription.key,
      consumer: 'c',
      acknowledgedRevision: server.log.revision,
    };
    await server.subscriptions.moveCursors({ cursors: [acknowledged], atUs: NOW_US });
    await server.close();
    await rm(data, { recursive: true });
    await cp(copy, data, { recursive: true });
    server = await open(data);
    await write(server, 'new', 30);
    const [cursor] = (await server.subscriptions.getSubscription(SPACE, 's')).cursors;
    const page = await server.log.readChanges({
      namespace: await server.log.watchedNamespace(SPACE),
      afterRevision: cursor?.acknowledgedRevision ?? -1,
      limit: 1000,
      bytesMax: 1e6,
    });
    const received = page.changes.map(({ id }) => id);
    expect(received.filter((id) => id.startsWith('new'))).toEqual(Array.from({ length: 30 }, (_, n) => `new${n}`));
    expect(received.filter((id) => id.startsWith('acknowledged'))).toEqual([]);
    await server.close();
  }, 120_000);
});
