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
  told,
  valuesOf,
  write,
} from './session-of-test.ts';

export function values(store: StoreOfTest): void {
  test('a value comes back with its bytes, its media type and its version', async () => {
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

  test('JSON null and no bytes at all are values; a key that is not there is none', async () => {
    await write(store(), [
      set('null', 'null', { content: { mediaType: 'application/json', data: new TextEncoder().encode('null') } }),
      set('empty', ''),
    ]);
    const { entries } = await store().get({ ...HERE, keys: ['null', 'empty', 'missing'], nowUs: NOW_US });
    expect(entries.map((entry) => entry && told(entry.content))).toEqual(['null', '', undefined]);
  });

  test('setting again keeps the time of creation and raises the version', async () => {
    const first = await act(store(), set('a', '1'));
    const second = await act(store(), set('a', '2'), { atUs: NOW_US + 5 });
    expect(second.head).toMatchObject({ createdAtUs: NOW_US, updatedAtUs: NOW_US + 5 });
    expect(second.head?.version).toBeGreaterThan(first.head?.version ?? 0);
  });

  test('of two writes that expect the same version one is refused, and nothing of it is seen', async () => {
    const { head } = await act(store(), set('a', '1'));
    const ifVersion = head?.version ?? 0;
    await act(store(), set('a', '2', { ifVersion }));
    const late = write(store(), [set('b', 'x'), set('a', '3', { ifVersion })]);
    await expect(late).rejects.toMatchObject(because('VERSION_MISMATCH'));
    expect(await valuesOf(store())).toEqual({ a: '2' });
  });

  test('version 0 stands for a key that is not there or has expired', async () => {
    await act(store(), set('a', '1', { ifVersion: 0, expiry: { kind: 'at', atUs: NOW_US + 1 } }));
    await expect(act(store(), set('a', '2', { ifVersion: 0 }))).rejects.toMatchObject(because('VERSION_MISMATCH'));
    await act(store(), set('a', '3', { ifVersion: 0 }), { atUs: NOW_US + 1 });
    expect(await valuesOf(store(), { nowUs: NOW_US + 2 })).toEqual({ a: '3' });
  });

  test('a version is never used again, so a key deleted and set anew is not taken for the old one', async () => {
    const { head } = await act(store(), set('a', '1'));
    expect((await act(store(), { kind: 'delete', key: 'a' })).removed).toBe(1);
    await act(store(), set('a', '1'));
    const stale = act(store(), { kind: 'delete', key: 'a', ifVersion: head?.version ?? 0 });
    await expect(stale).rejects.toMatchObject(because('VERSION_MISMATCH'));
  });

  test('a transaction over several keys is taken as a whole: checks, sets and deletes', async () => {
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

  test('without a time to live a key gets the default of its session, unless it is to stay or to keep what it has', async () => {
    await act(store(), set('default', '1'), { draft: { defaultTtlUs: SECOND_US } });
    await write(store(), [
      set('never', '1', { expiry: { kind: 'never' } }),
      set('at', '1', { expiry: { kind: 'at', atUs: NOW_US + 9 } }),
    ]);
    await act(store(), set('at', '2', { expiry: { kind: 'keep' } }));
    const { entries } = await store().get({ ...HERE, keys: ['default', 'never', 'at'], nowUs: NOW_US });
    expect(entries.map((entry) => entry?.expiresAtUs)).toEqual([NOW_US + SECOND_US, undefined, NOW_US + 9]);
  });

  test('touch moves the expiry and leaves the value; a key that is not there stays away', async () => {
    await act(store(), set('a', '1', { expiry: { kind: 'at', atUs: NOW_US + 5 } }));
    expect((await act(store(), { kind: 'touch', key: 'a', expiry: { kind: 'never' } })).written).toBe(1);
    expect((await act(store(), { kind: 'touch', key: 'b', expiry: { kind: 'never' } })).written).toBe(0);
    expect(await valuesOf(store(), { nowUs: NOW_US + 100 * SECOND_US })).toEqual({ a: '1' });
  });

  test('clear takes what it is told to and counts it', async () => {
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

  test('limits of keys and bytes hold, and what has expired makes room', async () => {
    const limits = { ...LIMITS, keysMax: 2, valueBytesMax: 20 };
    await act(store(), set('a', '1', { expiry: { kind: 'at', atUs: NOW_US + 1 } }), { limits });
    await act(store(), set('b', '2'), { limits });
    await expect(act(store(), set('c', '3'), { limits })).rejects.toMatchObject(because('SESSION_FULL'));
    await act(store(), set('c', '3'), { limits, atUs: NOW_US + 1 });
    await expect(act(store(), set('c', 'x'.repeat(20)), { limits })).rejects.toMatchObject(because('SESSION_FULL'));
    expect(await store().statistics(HERE, NOW_US)).toMatchObject({ keyCount: 2, valueBytes: 4 });
  });

  test('the expiry job erases what is due, in every session, and counts it', async () => {
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
