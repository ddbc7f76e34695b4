import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { idsOf, NOW_US, put, SPACE } from '../conformance/memory-store/store-of-test.ts';
import { newMemory } from '../support/new-memory.ts';
import { redisOfTest } from '../support/redis-of-test.ts';
import type { RedisServer } from '../support/redis-server.ts';
import { openTieredStore, type TieredStoreOfTest } from '../support/tiered-store.ts';

const key = (name: string) => `mneme:{${SPACE}}:${name}`;

const { closers, serve } = redisOfTest();
let server: RedisServer;
let opened: TieredStoreOfTest;
beforeEach(async () => {
  server = await serve();
  opened = await open();
  await put(
    opened.store,
    ['a', 'b', 'c'].map((id) => newMemory({ id })),
  );
  expect(await idsOf(opened.store)).toEqual(['a', 'b', 'c']);
});

async function open(): Promise<TieredStoreOfTest> {
  const folder = await mkdtemp(join(tmpdir(), 'mneme-damaged-log-'));
  closers.push(() => rm(folder, { recursive: true }));
  const another = await openTieredStore({ folder, urls: [server.url] });
  closers.push(() => another.close());
  return another;
}

type Change = (fields: string[]) => string[];

/** Replaces the last entry of a log. */
async function damageLast(change: Change): Promise<void> {
  const log = key('log');
  const entries = (await server.command('XRANGE', log, '-', '+')) as [string, string[]][];
  await server.command('DEL', log);
  for (const [at, [place, fields]] of entries.entries()) {
    const received = at === entries.length - 1 ? change(fields.map(String)) : fields;
    await server.command('XADD', log, String(place), ...received);
  }
}

const withField =
  (name: string, other: (value: string) => string): Change =>
  (fields) =>
    fields.map((field, at) => (fields[at - 1] === name ? other(field) : field));
const DAMAGES = [
  ['a kind that there is not', withField('k', () => 'ztored')],
  [
    'an id that is missing',
    (fields: string[]) => ['k', ...fields.slice(1).filter((field) => !['i', 'd'].includes(field))],
  ],
  ['a number that is none', withField('p', (value) => `${value}x`)],
] as const;

describe('an unreadable entry of the change log in Redis', () => {
  it.each(DAMAGES)(
    '%s › is reported once and skipped: everything else is copied, also what comes later',
    async (_, damage) => {
      const { store, losses, failures } = opened;
      // The server need not read its own writes.
      const { hot } = await open();
      await put(hot, [newMemory({ id: 'd' })]);
      await damageLast(damage);

      expect(await idsOf(store)).toEqual(['a', 'b', 'c', 'd']);
      expect(losses).toEqual([`${SPACE} damaged`]);

      await put(hot, [newMemory({ id: 'e' })]);
      expect(await idsOf(store)).toEqual(['a', 'b', 'c', 'd', 'e']);
      expect([losses, failures]).toEqual([[`${SPACE} damaged`], []]);
    },
  );

  it('later entries › are followed, the entry is reported once', async () => {
    const { hot } = await open();
    await put(hot, [newMemory({ id: 'd' })]);
    await damageLast(withField('k', () => 'ztored'));
    await put(hot, [newMemory({ id: 'e' })]);
    await hot.delete({ namespace: SPACE, ids: ['b'], cause: 'deleted', mustExist: true, atUs: NOW_US });

    expect(await idsOf(opened.store)).toEqual(['a', 'c', 'd', 'e']);
    expect(await idsOf(opened.store)).toEqual(['a', 'c', 'd', 'e']);
    expect(opened.losses).toEqual([`${SPACE} damaged`]);
  });

  it('a server that joins later › gets a report, and copies all memories', async () => {
    await put(opened.hot, [newMemory({ id: 'd' })]);
    await damageLast(withField('k', () => 'ztored'));
    const later = await open();

    expect(await idsOf(later.store)).toEqual(['a', 'b', 'c', 'd']);
    expect(later.losses).toEqual([`${SPACE} damaged`]);
  });
});
