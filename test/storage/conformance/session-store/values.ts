import { expect, test } from '@jest/globals';
import {
  act,
  because,
  HERE,
  LIMITS,
  NOW_US,
  SECOND_US,
  type StoreOfTest,
  set,
  textOf,
  valuesOf,
  write,
} from './session-of-test.ts';

export function values(store: StoreOfTest): void {
  test('a value is returned with its bytes, media type and version', async () => {
    const data = Uint8Array.from({ length: 256 }, (_, at) => at);
    const { revision } = await write(store(), [
      { kind: 'set', key: 'image', content: { mediaType: 'image/png', data }, expiry: { kind: 'never' } },
    ]);
    const { entries } = await store().get({ ...HERE, keys: ['image', 'other'], nowUs: NOW_US });
    expect(entries[0]?.content.mediaType).toBe('image/png');
    expect([...(entries[0]?.content.data ?? [])]).toEqual([...data]);
    expect(entries[0]).toMatchObject({ version: revision, createdAtUs: NOW_US, updatedAtUs: NOW_US });
    expect(entries[1]).toBeUndefined();
  });

  test('JSON null and zero bytes are values; a missing key has none', async () => {
    await write(store(), [
      set('null', 'null', { content: { mediaType: 'application/json', data: new TextEncoder().encode('null') } }),
      set('empty', ''),
    ]);
    const { entries } = await store().get({ ...HERE, keys: ['null', 'empty', 'missing'], nowUs: NOW_US });
    expect(entries.map((entry) => entry && textOf(entry.content))).toEqual(['null', '', undefined]);
  });

  test('setting a key again keeps its creation time and raises its version', async () => {
    const first = await act(store(), set('a', '1'));
    const second = await act(store(), set('a', '2'), { atUs: NOW_US + 5 });
    expect(second.head).toMatchObject({ createdAtUs: NOW_US, updatedAtUs: NOW_US + 5 });
    expect(second.head?.version).toBeGreaterThan(first.head?.version ?? 0);
  });

  test('of two writes that expect the same version one is refused without effect', async () => {
    const { head } = await act(store(), set('a', '1'));
    const ifVersion = head?.version ?? 0;
    await act(store(), set('a', '2', { ifVersion }));
    const late = write(store(), [set('b', 'x'), set('a', '3', { ifVersion })]);
    await expect(late).rejects.toMatchObject(because('VERSION_MISMATCH'));
    expect(await valuesOf(store())).toEqual({ a: '2' });
  });

  test('version 0 means a missing or expired key', async () => {
    await act(store(), set('a', '1', { ifVersion: 0, expiry: { kind: 'at', atUs: NOW_US + 1 } }));
    await expect(act(store(), set('a', '2', { ifVersion: 0 }))).rejects.toMatchObject(because('VERSION_MISMATCH'));
    await act(store(), set('a', '3', { ifVersion: 0 }), { atUs: NOW_US + 1 });
    expect(await valuesOf(store(), { nowUs: NOW_US + 2 })).toEqual({ a: '3' });
  });

  test('versions are never reused: a key deleted and set again differs from the old one', async () => {
    const { head } = await act(store(), set('a', '1'));
    expect((await act(store(), { kind: 'delete', key: 'a' })).removed).toBe(1);
    await act(store(), set('a', '1'));
    const stale = act(store(), { kind: 'delete', key: 'a', ifVersion: head?.version ?? 0 });
    await expect(stale).rejects.toMatchObject(because('VERSION_MISMATCH'));
  });

  test('a transaction over several keys is atomic: checks, sets and deletes', async () => {
    await write(store(), [set('from', '10'), set('to', '0')]);
    const { entries } = await store().get({ ...HERE, keys: ['from', 'to'], nowUs: NOW_US });
    const [from, to] = entries.map((entry) => entry?.version ?? 0);
    const { results } = await write(store(), [
      { kind: 'check', key: 'to', ifVersion: to ?? 0 },
      { kind: 'delete', key: 'from', ifVersion: from ?? 0 },
      set('to', '10'),
    ]);
    expect(results.map(({ written, removed }) => [written, removed])).toEqual([
      [0, 0],
      [0, 1],
      [1, 0],
    ]);
    expect(await valuesOf(store())).toEqual({ to: '10' });
  });

  test('a key is gone from the instant at which it expires', async () => {
    await act(store(), set('a', '1', { expiry: { kind: 'at', atUs: NOW_US + SECOND_US } }));
    expect(await valuesOf(store(), { nowUs: NOW_US + SECOND_US - 1 })).toEqual({ a: '1' });
    expect(await valuesOf(store(), { nowUs: NOW_US + SECOND_US })).toEqual({});
    expect((await act(store(), { kind: 'delete', key: 'a' }, { atUs: NOW_US + SECOND_US })).removed).toBe(0);
  });

  test('a key without a time to live gets the default of its session, unless it never expires or keeps its expiry', async () => {
    await act(store(), set('default', '1'), { draft: { defaultTtlUs: SECOND_US } });
    await write(store(), [
      set('never', '1', { expiry: { kind: 'never' } }),
      set('at', '1', { expiry: { kind: 'at', atUs: NOW_US + 9 } }),
    ]);
    await act(store(), set('at', '2', { expiry: { kind: 'keep' } }));
    const { entries } = await store().get({ ...HERE, keys: ['default', 'never', 'at'], nowUs: NOW_US });
    expect(entries.map((entry) => entry?.expiresAtUs)).toEqual([NOW_US + SECOND_US, undefined, NOW_US + 9]);
  });

  test('touch moves the expiry and keeps the value; it creates no missing key', async () => {
    await act(store(), set('a', '1', { expiry: { kind: 'at', atUs: NOW_US + 5 } }));
    expect((await act(store(), { kind: 'touch', key: 'a', expiry: { kind: 'never' } })).written).toBe(1);
    expect((await act(store(), { kind: 'touch', key: 'b', expiry: { kind: 'never' } })).written).toBe(0);
    expect(await valuesOf(store(), { nowUs: NOW_US + 100 * SECOND_US })).toEqual({ a: '1' });
  });

  test('clear erases the selected kinds of data and counts them', async () => {
    await write(store(), [set('a', '1'), set('b', '2', { expiry: { kind: 'at', atUs: NOW_US + 1 } })]);
    await write(store(), [
      { kind: 'append', contents: [] },
      { kind: 'checkpoint', id: 'c', description: '', cause: 'manual', memoryRevision: 0 },
    ]);
    const cleared = await act(
      store(),
      { kind: 'clear', values: true, task: false, notes: true, checkpoints: false },
      { atUs: NOW_US + 1 },
    );
    expect(cleared).toMatchObject({ removed: 1, checkpointsRemoved: 0 });
    expect(await store().statistics(HERE, NOW_US)).toMatchObject({ keyCount: 0, valueBytes: 0, checkpointCount: 1 });
  });

  test('limits of keys and bytes hold, and expired keys do not count', async () => {
    const limits = { ...LIMITS, keysMax: 2, valueBytesMax: 20 };
    await act(store(), set('a', '1', { expiry: { kind: 'at', atUs: NOW_US + 1 } }), { limits });
    await act(store(), set('b', '2'), { limits });
    await expect(act(store(), set('c', '3'), { limits })).rejects.toMatchObject(because('SESSION_FULL'));
    await act(store(), set('c', '3'), { limits, atUs: NOW_US + 1 });
    await expect(act(store(), set('c', 'x'.repeat(20)), { limits })).rejects.toMatchObject(because('SESSION_FULL'));
    expect(await store().statistics(HERE, NOW_US)).toMatchObject({ keyCount: 2, valueBytes: 4 });
  });

  test('the expiry job erases and counts expired keys in every session', async () => {
    const other = { ...HERE, session: 'run-2' };
    for (const key of [HERE, other]) {
      await write(store(), [set('a', '1', { expiry: { kind: 'at', atUs: NOW_US + 1 } }), set('b', '2')], key);
    }
    expect(await store().eraseExpired({ nowUs: NOW_US, limit: 100 })).toMatchObject({ erasedCount: 0 });
    expect(await store().eraseExpired({ nowUs: NOW_US + 1, limit: 100 })).toMatchObject({
      erasedCount: 2,
      isDone: true,
    });
    // A clock that goes back brings nothing back that was erased.
    expect(await valuesOf(store(), { key: other })).toEqual({ b: '2' });
  });
}
