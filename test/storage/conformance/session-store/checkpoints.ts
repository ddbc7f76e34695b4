import { expect, test } from '@jest/globals';
import { seededRandom } from '../../../support/random.ts';
import {
  act,
  append,
  because,
  checkpoint,
  HERE,
  LIMITS,
  NOW_US,
  notesOf,
  type StoreOfTest,
  set,
  valuesOf,
  write,
} from './session-of-test.ts';

const restore = (id: string, mode: 'replace' | 'merge' = 'replace') => ({ kind: 'restore', id, mode }) as const;
const task = {
  taskId: 't',
  description: 'to do',
  status: 'in_progress',
  detail: '',
  currentStep: 1,
  totalSteps: 4,
  progressPercent: 25,
} as const;

export function checkpoints(store: StoreOfTest): void {
  test('restore brings back values, task state and scratchpad, and erases later keys', async () => {
    await write(store(), [set('a', '1'), set('b', '2'), append('one'), { kind: 'setTask', task }]);
    await act(store(), checkpoint('c1'));
    await write(store(), [set('a', '9'), { kind: 'delete', key: 'b' }, set('c', '3'), append('two')]);
    await act(store(), { kind: 'patchTask', patch: { progressPercent: 80 } });
    const restored = await act(store(), restore('c1'));
    expect(restored).toMatchObject({ written: 2, removed: 1, expired: 0 });
    expect(await valuesOf(store())).toEqual({ a: '1', b: '2' });
    expect(await notesOf(store())).toEqual(['one']);
    const snapshot = await store().snapshot({ ...HERE, nowUs: NOW_US });
    expect(snapshot?.task).toMatchObject({ taskId: 't', progressPercent: 25 });
    expect(await store().statistics(HERE, NOW_US)).toMatchObject({
      keyCount: 2,
      valueBytes: 4,
      noteCount: 1,
      noteBytes: 3,
    });
  });

  test('restored keys have new versions where their bytes changed, so older expectations fail', async () => {
    const { head } = await act(store(), set('a', '1'));
    await act(store(), checkpoint('c1'));
    const later = await act(store(), set('a', '2'));
    await act(store(), restore('c1'));
    for (const version of [head?.version, later.head?.version]) {
      const stale = act(store(), set('a', '3', { ifVersion: version ?? 0 }));
      await expect(stale).rejects.toMatchObject(because('VERSION_MISMATCH'));
    }
  });

  test('a session of arbitrary bytes is restored bit for bit, including empty values and values at the end of a pack', async () => {
    const every = Uint8Array.from({ length: 256 }, (_, at) => at);
    const kinds = [
      every,
      new Uint8Array(),
      Uint8Array.of(0),
      Buffer.from('\ufeffé\u{1f600}'),
      Buffer.from([0xff, 0xfe, 0xc0]),
    ];
    const large = [1, 2, 3].map((at) => Buffer.alloc(1_500_000, `${at} of three, `));
    const stored = new Map([...kinds, ...large, ...kinds].map((data, at) => [`${at % 2 ? 'z' : 'a'}"\\\n${at}`, data]));
    for (const [key, data] of stored) {
      await act(store(), set(key, '', { content: { mediaType: `x/"${key.length}"`, data } }));
    }
    await act(store(), checkpoint('c1'));
    for (const key of stored.keys()) await act(store(), set(key, 'other'));
    await act(store(), restore('c1'));
    const snapshot = await store().snapshot({ ...HERE, nowUs: NOW_US });
    expect(snapshot?.entries).toHaveLength(stored.size);
    for (const { key, content } of snapshot?.entries ?? []) {
      expect(content.mediaType).toBe(`x/"${key.length}"`);
      expect(Buffer.compare(content.data, stored.get(key) ?? Buffer.from('none'))).toBe(0);
    }
  });

  test('merge keeps keys that the checkpoint does not have', async () => {
    await write(store(), [set('a', '1'), append('one')]);
    await act(store(), checkpoint('c1'));
    await write(store(), [set('a', '2'), set('b', '2'), append('two')]);
    await act(store(), restore('c1', 'merge'));
    expect(await valuesOf(store())).toEqual({ a: '1', b: '2' });
    expect(await notesOf(store())).toEqual(['one']);
  });

  test('expired keys are not restored; others keep their expiry time', async () => {
    await write(store(), [
      set('soon', '1', { expiry: { kind: 'at', atUs: NOW_US + 10 } }),
      set('late', '2', { expiry: { kind: 'at', atUs: NOW_US + 1000 } }),
    ]);
    await act(store(), checkpoint('c1'));
    await act(store(), { kind: 'touch', key: 'late', expiry: { kind: 'never' } });
    const restored = await act(store(), restore('c1'), { atUs: NOW_US + 10 });
    expect(restored).toMatchObject({ written: 1, expired: 1 });
    expect(await valuesOf(store())).toEqual({ late: '2' });
    const { entries } = await store().get({ ...HERE, keys: ['late'], nowUs: NOW_US });
    expect(entries[0]?.expiresAtUs).toBe(NOW_US + 1000);
  });

  test('restore changes no checkpoint; deleted checkpoints stay deleted', async () => {
    for (const id of ['c1', 'c2', 'c3']) await write(store(), [set('k', id), checkpoint(id)]);
    await act(store(), { kind: 'dropCheckpoint', id: 'c2' });
    await act(store(), restore('c1'));
    const ids = async () => (await store().checkpoints({ ...HERE, limit: 10, nowUs: NOW_US })).map(({ id }) => id);
    expect(await ids()).toEqual(['c3', 'c1']);
    await act(store(), restore('c3'));
    expect(await valuesOf(store())).toEqual({ k: 'c3' });
    await expect(act(store(), restore('c2'))).rejects.toMatchObject(because('CHECKPOINT_NOT_FOUND'));
    expect(await valuesOf(store())).toEqual({ k: 'c3' });
  });

  test('the parent of a checkpoint is the last checkpoint made or restored', async () => {
    await act(store(), checkpoint('c1'));
    await act(store(), checkpoint('c2'));
    await act(store(), restore('c1'));
    await act(store(), checkpoint('c3'));
    const all = await store().checkpoints({ ...HERE, limit: 10, nowUs: NOW_US });
    expect(all.map(({ id, parent }) => [id, parent])).toEqual([
      ['c3', 'c1'],
      ['c2', 'c1'],
      ['c1', ''],
    ]);
  });

  test('an existing id is refused and nothing is overwritten', async () => {
    await write(store(), [set('a', '1'), checkpoint('c1')]);
    const again = write(store(), [set('a', '2'), checkpoint('c1')]);
    await expect(again).rejects.toMatchObject(because('CHECKPOINT_EXISTS'));
    expect(await valuesOf(store())).toEqual({ a: '1' });
  });

  test('unchanged data is stored once: a second checkpoint adds next to nothing', async () => {
    const random = seededRandom('shared checkpoints');
    const noise = () => Array.from({ length: 1000 }, () => String.fromCharCode(33 + random.int(90))).join('');
    const keys = Array.from({ length: 200 }, (_, at) => `key-${at}`);
    await write(store(), [...keys.map((key) => set(key, noise())), append(noise(), noise())]);
    const first = (await act(store(), checkpoint('c1'))).checkpoint;
    await write(store(), [set('key-7', noise()), append(noise())]);
    const second = (await act(store(), checkpoint('c2'))).checkpoint;
    expect(first?.storedBytes).toBeGreaterThan(100_000);
    expect(second?.storedBytes).toBeLessThan((first?.storedBytes ?? 0) / 10);
    expect(second?.bytes).toBeGreaterThan(200_000);
    const before = await valuesOf(store());
    // The first one holds most of what the second shows.
    await act(store(), { kind: 'dropCheckpoint', id: 'c1' });
    await act(store(), { kind: 'clear', values: true, task: true, notes: true, checkpoints: false });
    await act(store(), restore('c2'));
    expect(await valuesOf(store())).toEqual(before);
    expect(await notesOf(store())).toHaveLength(3);
  });

  test('twenty consecutive checkpoints take only the space of their changes', async () => {
    await write(
      store(),
      Array.from({ length: 50 }, (_, at) => set(`k${at}`, 'x'.repeat(200))),
    );
    const sizes: number[] = [];
    for (let at = 0; at < 20; at++) {
      const { checkpoint: made } = await act(store(), checkpoint(`c${at}`));
      sizes.push(made?.bytes ?? 0);
    }
    expect(new Set(sizes).size).toBe(1);
  });

  test('limits of checkpoints hold, and expired checkpoints do not count', async () => {
    const limits = { ...LIMITS, checkpointsMax: 2 };
    await act(store(), checkpoint('c1', { expiresAtUs: NOW_US + 1 }), { limits });
    await act(store(), checkpoint('c2'), { limits });
    await expect(act(store(), checkpoint('c3'), { limits })).rejects.toMatchObject(because('SESSION_FULL'));
    await act(store(), checkpoint('c3'), { limits, atUs: NOW_US + 1 });
    const small = { ...LIMITS, checkpointBytesMax: 10 };
    await expect(act(store(), checkpoint('c4'), { limits: small })).rejects.toMatchObject(because('SESSION_FULL'));
  });

  test('an expired checkpoint is not found, erased or not; kept checkpoints stay', async () => {
    await act(store(), checkpoint('c1', { expiresAtUs: NOW_US + 1 }));
    await act(store(), checkpoint('c2', { expiresAtUs: NOW_US + 1 }));
    await act(store(), { kind: 'keepCheckpoint', id: 'c2' });
    const later = { atUs: NOW_US + 1 };
    await expect(act(store(), restore('c1'), later)).rejects.toMatchObject(because('CHECKPOINT_NOT_FOUND'));
    expect(await store().checkpoint({ ...HERE, id: 'c1', nowUs: NOW_US + 1 })).toBeUndefined();
    await store().eraseExpired({ nowUs: NOW_US + 1, limit: 10 });
    const left = await store().checkpoints({ ...HERE, limit: 10, nowUs: NOW_US });
    expect(left.map(({ id, expiresAtUs }) => [id, expiresAtUs])).toEqual([['c2', undefined]]);
  });

  test('a snapshot of a checkpoint loads into another session', async () => {
    await write(store(), [set('a', '1'), append('one', 'two'), { kind: 'setTask', task }, checkpoint('c1')]);
    await act(store(), set('a', '2'));
    const snapshot = await store().snapshot({ ...HERE, checkpoint: 'c1', nowUs: NOW_US });
    if (!snapshot) throw new Error('no snapshot');
    const fork = { ...HERE, session: 'fork' };
    await act(store(), { kind: 'load', snapshot }, { ...fork, draft: { mustBeNew: true } });
    expect(await valuesOf(store(), { key: fork })).toEqual({ a: '1' });
    expect(await notesOf(store(), fork)).toEqual(['one', 'two']);
    expect(await valuesOf(store())).toEqual({ a: '2' });
    const again = act(store(), { kind: 'load', snapshot }, { ...fork, draft: { mustBeNew: true } });
    await expect(again).rejects.toMatchObject(because('SESSION_EXISTS'));
  });

  test('a checkpoint is restored in the write that makes it, also where it shares data with an earlier one', async () => {
    await write(store(), [set('a', '1'), append('one'), checkpoint('c1')]);
    await write(store(), [set('b', '2')]);
    const { results } = await write(store(), [checkpoint('c2'), restore('c2')]);
    expect(results[1]).toMatchObject({ written: 2, notes: 1 });
    expect(await valuesOf(store())).toEqual({ a: '1', b: '2' });
  });
}
