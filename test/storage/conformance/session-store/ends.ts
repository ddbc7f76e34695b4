import { expect, test } from '@jest/globals';
import type { SessionOp, SessionTransition } from '../../../../src/storage/session-store.ts';
import {
  act,
  append,
  because,
  checkpoint,
  HERE,
  LIMITS,
  NOW_US,
  notesOf,
  SECOND_US,
  type StoreOfTest,
  set,
  valuesOf,
  write,
} from './session-of-test.ts';

const ANY = ['active', 'paused', 'terminated'] as const;

function move(to: SessionTransition['to'], more: Partial<SessionTransition> = {}): SessionOp {
  const json = { metadata: '{}', lifecycle: '{}', answer: '{}' };
  return { kind: 'transition', fromGeneration: 0, to, isFrozen: to !== 'active', ...json, ...more };
}

const OUTLIVED_US = NOW_US + 1000 * SECOND_US;

/** What becomes of checkpoints when a pause ends, of sessions that nothing is written to, and of those that are deleted. */
export function ends(store: StoreOfTest): void {
  const idleAt = (nowUs: number) => store().idle({ nowUs, limit: 10 });
  const held = (id: string, ttlUs?: number) =>
    checkpoint(id, { cause: 'lifecycle', hold: ttlUs === undefined ? {} : { ttlUs } });
  const expiryOf = async (id: string, nowUs: number) =>
    (await store().checkpoint({ ...HERE, id, nowUs }))?.expiresAtUs ?? 'never';

  test('a held checkpoint outlives a pause of any length, and its time to live begins at resumption', async () => {
    await write(store(), [set('a', '1'), held('c1', SECOND_US), move('paused')]);
    await store().eraseExpired({ nowUs: OUTLIVED_US, limit: 100 });
    expect(await expiryOf('c1', OUTLIVED_US)).toBe('never');

    const resumed = [{ kind: 'restore', id: 'c1', mode: 'replace' } as const, move('active', { fromGeneration: 1 })];
    const { results } = await write(store(), resumed, { states: ANY, atUs: OUTLIVED_US });
    expect(results[0]).toMatchObject({ written: 1 });
    expect(await expiryOf('c1', OUTLIVED_US)).toBe(OUTLIVED_US + SECOND_US);
    await store().eraseExpired({ nowUs: OUTLIVED_US + SECOND_US, limit: 100 });
    expect(await store().checkpoint({ ...HERE, id: 'c1', nowUs: OUTLIVED_US + SECOND_US })).toBeUndefined();
  });

  test('a checkpoint held forever never expires; its retention can be set during the pause', async () => {
    await write(store(), [set('a', '1'), held('c1'), move('paused')]);
    await act(store(), { kind: 'keepCheckpoint', id: 'c1', expiresAtUs: NOW_US + SECOND_US }, { states: ANY });
    expect(await expiryOf('c1', OUTLIVED_US)).toBe('never');
    await write(store(), [held('c2'), move('active', { fromGeneration: 1 })], { states: ANY, atUs: OUTLIVED_US });

    expect(await expiryOf('c1', OUTLIVED_US)).toBe(OUTLIVED_US + SECOND_US);
    expect(await expiryOf('c2', OUTLIVED_US)).toBe('never');
  });

  test('an active session is idle once its timeout has passed since its last write; a paused or ended session is never idle', async () => {
    const draft = { idleTtlUs: 10 * SECOND_US };
    await write(store(), [set('a', '1')], { draft });
    await write(store(), [set('a', '1')], { session: 'run-2' });
    expect(await idleAt(NOW_US + 10 * SECOND_US - 1)).toEqual([]);
    expect(await idleAt(NOW_US + 10 * SECOND_US)).toEqual([HERE]);

    await act(store(), set('b', '2'), { atUs: NOW_US + 5 * SECOND_US });
    expect(await idleAt(NOW_US + 15 * SECOND_US - 1)).toEqual([]);
    expect(await idleAt(NOW_US + 15 * SECOND_US)).toEqual([HERE]);
    await write(store(), [move('paused')], { atUs: NOW_US + 5 * SECOND_US });
    expect(await idleAt(OUTLIVED_US)).toEqual([]);
    await write(store(), [move('active', { fromGeneration: 1 })], { states: ANY, atUs: NOW_US });
    expect(await idleAt(OUTLIVED_US)).toEqual([HERE]);
    await write(store(), [move('terminated', { fromGeneration: 2 })], { states: ANY });
    expect(await idleAt(OUTLIVED_US)).toEqual([]);
  });

  test('idle sessions are listed longest idle first, within the limit and without erased sessions', async () => {
    for (const at of [3, 1, 2]) {
      await write(store(), [set('a', '1')], { session: `run-${at}`, draft: { idleTtlUs: at * SECOND_US } });
    }
    const ids = async (limit: number) =>
      (await store().idle({ nowUs: OUTLIVED_US, limit })).map(({ session }) => session).sort();
    expect(await ids(10)).toEqual(['run-1', 'run-2', 'run-3']);
    expect(await ids(2)).toHaveLength(2);
    await store().eraseSession({ ...HERE, session: 'run-1' });
    expect(await ids(10)).toEqual(['run-2', 'run-3']);
    await store().eraseNamespace(HERE.namespace);
    expect(await ids(10)).toEqual([]);
  });

  test('after the fence of a namespace its sessions stay, and others begin', async () => {
    await write(store(), [set('a', '1')]);
    await store().fenceNamespace(HERE.namespace);
    await write(store(), [set('a', '2')]);
    await write(store(), [set('a', '1')], { session: 'run-2' });
    const all = await store().sessions({ namespace: HERE.namespace, limit: 10 });
    expect(all.map(({ id }) => id).sort()).toEqual(['run-1', 'run-2']);
  });

  test('a changed default time to live applies to later keys; an explicit one wins', async () => {
    await write(store(), [
      set('before', '1'),
      { kind: 'setDefaultTtl', ttlUs: 5 * SECOND_US },
      set('after', '1'),
      set('never', '1', { expiry: { kind: 'never' } }),
    ]);
    const keys = ['before', 'after', 'never'];
    const { entries } = await store().get({ ...HERE, keys, nowUs: NOW_US });
    expect(entries.map((entry) => entry?.expiresAtUs)).toEqual([undefined, NOW_US + 5 * SECOND_US, undefined]);
    expect(await store().session(HERE)).toMatchObject({ defaultTtlUs: 5 * SECOND_US });
  });

  test('a transition that erases deletes all data, and its answer is kept for repeated requests', async () => {
    await write(store(), [set('a', '1'), append('one'), checkpoint('c1')], { draft: { idleTtlUs: SECOND_US } });
    const idempotency = { requestId: 'r', fingerprint: 'f' };
    const erasing = [
      { kind: 'clear', values: true, task: true, notes: true, checkpoints: true } as const,
      move('terminated', { erases: true, answer: '{"told":1}' }),
    ];
    const rest = { ...HERE, ops: erasing, limits: LIMITS, atUs: NOW_US, states: ANY };
    const erase = () => store().write({ ...rest, idempotency });
    const first = await erase();
    expect(first.results[0]).toMatchObject({ removed: 1, notes: 1, checkpointsRemoved: 1 });

    expect(await store().session(HERE)).toBeUndefined();
    expect(await valuesOf(store())).toEqual({});
    expect(await notesOf(store())).toEqual([]);
    expect(await store().checkpoints({ ...HERE, limit: 10, nowUs: NOW_US })).toEqual([]);
    expect(await store().sessions({ namespace: HERE.namespace, limit: 10 })).toEqual([]);
    expect(await idleAt(OUTLIVED_US)).toEqual([]);
    expect(await erase()).toEqual(first);
    await expect(store().write(rest)).rejects.toMatchObject(because('SESSION_NOT_FOUND'));

    expect(await act(store(), set('b', '2'))).toMatchObject({ head: { version: 1 } });
    expect(await valuesOf(store())).toEqual({ b: '2' });
    expect(await notesOf(store())).toEqual([]);
  });
}
