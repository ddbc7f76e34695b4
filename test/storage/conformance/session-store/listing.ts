import { expect, test } from '@jest/globals';
import { globOf } from '../../../../src/memory/pattern.ts';
import { compareTexts } from '../../../../src/memory/values.ts';
import { seededRandom } from '../../../support/random.ts';
import {
  act,
  append,
  HERE,
  LIMITS,
  NOW_US,
  notesOf,
  type StoreOfTest,
  set,
  textOf,
  valuesOf,
  write,
} from './session-of-test.ts';

const KEYS = [
  'a',
  'a*',
  'a:b',
  'a[1]',
  'ab',
  'b/c',
  'plan?',
  'plan1',
  'Ä',
  '😀',
  '\u{ffff}',
  'user:1',
  'user:2',
  'user:21',
];

export function listing(store: StoreOfTest): void {
  test('keys are listed by code point, page after page, each once', async () => {
    await write(
      store(),
      KEYS.map((key) => set(key, key)),
    );
    const found: string[] = [];
    for (let afterKey: string | undefined; ; ) {
      const read = { ...HERE, limit: 3, bytesMax: 1000, withValues: false, nowUs: NOW_US };
      const page = await store().list(afterKey === undefined ? read : { ...read, afterKey });
      found.push(...page.entries.map(({ key }) => key));
      afterKey = page.nextAfter;
      if (afterKey === undefined) break;
      expect(page.entries).toHaveLength(3);
    }
    expect(found).toEqual(KEYS.toSorted(compareTexts));
  });

  test.each(['*', 'a*', 'user:?', 'user:*1', 'plan\\?', 'plan[!?]', 'a[[]1]', '[a-b]*', '', 'a', '?', '[', '*b*'])(
    'the pattern %j matches the same keys on every backend',
    async (pattern) => {
      await write(
        store(),
        KEYS.map((key) => set(key, '')),
      );
      const expected = KEYS.filter((key) => globOf(pattern).matches(key)).toSorted(compareTexts);
      expect(Object.keys(await valuesOf(store(), { pattern }))).toEqual(expected);
    },
  );

  test('a pattern that few of many keys match finds them, page after page', async () => {
    const keys = Array.from({ length: 1900 }, (_, at) => `key-${at}`);
    for (let at = 0; at < keys.length; at += 1000) {
      await write(
        store(),
        keys.slice(at, at + 1000).map((key) => set(key, '')),
      );
    }
    expect(Object.keys(await valuesOf(store(), { pattern: '*-1899' }))).toEqual(['key-1899']);
    expect(await valuesOf(store(), { pattern: '*-none' })).toEqual({});
  });

  test('a page with values stays within its byte limit but holds at least one', async () => {
    await write(
      store(),
      ['a', 'b', 'c'].map((key) => set(key, 'x'.repeat(100))),
    );
    const page = await store().list({ ...HERE, limit: 10, bytesMax: 150, withValues: true, nowUs: NOW_US });
    expect(page.entries.map(({ key }) => key)).toEqual(['a']);
    expect(page.nextAfter).toBe('a');
  });

  test('notes are listed in order with sequence and time, from either end, in pages', async () => {
    await act(store(), append('one', 'two'));
    await act(store(), append('three'), { atUs: NOW_US - 50 });
    const read = { ...HERE, limit: 2, bytesMax: 1000 };
    const first = await store().notes({ ...read, order: 'oldest' });
    expect(first.notes.map(({ sequence, atUs, content }) => [sequence, atUs, textOf(content)])).toEqual([
      [1, NOW_US, 'one'],
      [2, NOW_US, 'two'],
    ]);
    const rest = await store().notes({ ...read, order: 'oldest', after: 2 });
    expect(rest).toMatchObject({ isLast: true, total: 3, dropped: 0 });
    expect(rest.notes.map(({ content }) => textOf(content))).toEqual(['three']);
    const newest = await store().notes({ ...read, order: 'newest' });
    expect(newest.notes.map(({ sequence }) => sequence)).toEqual([3, 2]);
    expect((await store().notes({ ...read, order: 'newest', after: 2 })).notes).toHaveLength(1);
  });

  test.each([0, 1, 2, 7])(
    'a scratchpad of at most %i notes keeps the newest and counts what it drops',
    async (notesMax) => {
      const limits = { ...LIMITS, notesMax };
      let dropped = 0;
      for (let at = 0; at < 10; at++) dropped += (await act(store(), append(`note ${at}`), { limits })).notes ?? 0;
      const all = Array.from({ length: 10 }, (_, at) => `note ${at}`);
      expect(await notesOf(store())).toEqual(notesMax === 0 ? [] : all.slice(-notesMax));
      expect(dropped).toBe(10 - notesMax);
      expect(await store().statistics(HERE, NOW_US)).toMatchObject({
        noteCount: notesMax,
        notesDropped: 10 - notesMax,
      });
    },
  );

  test('the oldest notes are dropped beyond the byte limit of a scratchpad, and sequences continue', async () => {
    const limits = { ...LIMITS, noteBytesMax: 10 };
    await act(store(), append('aaaa', 'bbbb'), { limits });
    expect(await act(store(), append('cccc'), { limits })).toMatchObject({ sequence: 3, notes: 1 });
    expect(await notesOf(store())).toEqual(['bbbb', 'cccc']);
  });

  test('concurrent appends are all kept', async () => {
    const random = seededRandom('appends');
    const values = Array.from({ length: 40 }, () => `n${random.int(1e9)}`);
    await act(store(), append('first'));
    await Promise.all(values.map((value) => act(store(), append(value))));
    expect((await notesOf(store())).slice(1).toSorted()).toEqual(values.toSorted());
  });

  test('ids with separators and glob characters name one session each, and patterns match only its keys', async () => {
    const ids = ['a', 'a:b', 'a/b', '*', 'a*', '[a]', '?', 'a\\', 'x'.repeat(128), '🙂', 'a}', '{a', '%', 'a_'];
    for (const session of ids) await act(store(), set('whose', session), { session });
    for (const session of ids) {
      const key = { ...HERE, session };
      expect(await valuesOf(store(), { key })).toEqual({ whose: session });
      expect(await valuesOf(store(), { key, pattern: '*' })).toEqual({ whose: session });
    }
    const elsewhere = { namespace: 'space-2', session: 'a' };
    expect(await valuesOf(store(), { key: elsewhere })).toEqual({});
    expect((await store().sessions({ namespace: HERE.namespace, limit: 100 })).map(({ id }) => id)).toEqual(
      ids.toSorted(compareTexts),
    );
    expect(await store().eraseSession({ ...HERE, session: '*' })).toBe(true);
    expect(await store().eraseSession({ ...HERE, session: 'a}' })).toBe(true);
    expect(await store().sessions({ namespace: HERE.namespace, limit: 100 })).toHaveLength(ids.length - 2);
    expect(await valuesOf(store(), { key: { ...HERE, session: 'a*' } })).toEqual({ whose: 'a*' });
  });
}
