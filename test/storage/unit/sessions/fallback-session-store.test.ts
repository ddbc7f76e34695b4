import { describe, expect, it } from '@jest/globals';
import type { SessionOp, SessionStore } from '../../../../src/storage/session-store.ts';
import { openFallbackSessions } from '../../../../src/storage/sessions/fallback/fallback-session-store.ts';
import type { Conflict } from '../../../../src/storage/sessions/fallback/merge-session.ts';
import { wayTo } from '../../../support/away-store.ts';
import {
  append,
  because,
  HERE,
  LIMITS,
  NOW_US,
  notesOf,
  SECOND_US,
  set,
  textOf,
  valuesOf,
  write,
} from '../../conformance/session-store/session-of-test.ts';
import { InMemoryLifecycleEvents, InMemorySessionStore } from '../../in-memory/sessions/session-store.ts';

const signal = new AbortController().signal;
const inMemory = () =>
  new InMemorySessionStore({ idempotencyRetentionMs: 3_600_000, events: new InMemoryLifecycleEvents() });

/** A store that several servers share; for one of them it can be unavailable, before or after a call takes effect. */
async function storeOfTest() {
  const shared = inMemory();
  const local = inMemory();
  const state = { away: false as false | 'before' | 'after', conflicts: [] as Conflict[] };
  const remote = wayTo(shared, state);
  const open = (goesOn = true) =>
    openFallbackSessions({
      goesOn,
      remote,
      local,
      clock: { nowUs: () => NOW_US },
      limits: LIMITS,
      onConflicts: (_, conflicts) => state.conflicts.push(...conflicts),
      async *namespaces() {
        yield HERE.namespace;
      },
    });
  return { shared, state, open, store: await open() };
}

const isUsingFallback = async (store: SessionStore) => (await store.statistics(HERE, NOW_US))?.usingFallback;
const checked = (key: string, value: string, ifVersion: number) => set(key, value, { ifVersion });
const task = (description: string): SessionOp => ({
  kind: 'setTask',
  task: { taskId: 't', description, status: 'pending', detail: '', currentStep: 0, totalSteps: 0, progressPercent: 0 },
});

describe('sessions that continue while their store is unavailable', () => {
  it('reads use the copy, and writes continue its versions', async () => {
    const { store, state } = await storeOfTest();
    await write(store, [set('a', '1'), append('one')]);
    expect(await isUsingFallback(store)).toBe(false);
    state.away = 'before';

    expect(await valuesOf(store)).toEqual({ a: '1' });
    expect(await store.session(HERE)).toMatchObject({ id: HERE.session, revision: 1 });
    expect((await write(store, [checked('a', '2', 1), set('b', '2')])).revision).toBe(2);
    expect(await valuesOf(store)).toEqual({ a: '2', b: '2' });
    expect(await isUsingFallback(store)).toBe(true);
    await expect(write(store, [checked('a', '3', 1)])).rejects.toMatchObject(because('VERSION_MISMATCH'));
    await expect(write(store, [checked('a', '3', 1)])).rejects.toThrow(/^a of namespaces\/space\/sessions\/run-1: /);
  });

  it('the store is back › writes to the copy are merged, and reads use the store again', async () => {
    const { store, shared, state } = await storeOfTest();
    await write(store, [set('kept', '1'), set('changed', '1'), set('gone', '1'), append('one'), task('old')]);
    state.away = 'before';
    await write(store, [set('changed', '2'), { kind: 'delete', key: 'gone' }, append('two'), task('new')]);
    await write(store, [set('new', '3', { expiry: { kind: 'at', atUs: NOW_US + SECOND_US } }), append('three')]);
    await store.comeBackAll(signal);
    expect(store.detours).toHaveLength(1);
    state.away = false;
    await store.comeBackAll(signal);

    expect(store.detours).toEqual([]);
    for (const each of [shared, store]) {
      expect(await valuesOf(each)).toEqual({ kept: '1', changed: '2', new: '3' });
      expect(await notesOf(each)).toEqual(['one', 'two', 'three']);
    }
    const { entries } = await shared.get({ ...HERE, keys: ['new', 'changed'], nowUs: NOW_US });
    expect(entries.map((entry) => entry?.expiresAtUs)).toEqual([NOW_US + SECOND_US, undefined]);
    expect((await shared.session(HERE))?.task).toContain('"description":"new"');
    expect(await isUsingFallback(store)).toBe(false);
    // The versions that the copy gave out are not used again.
    expect((await write(store, [set('after', '4')])).revision).toBe(5);
    expect(state.conflicts).toEqual([]);
  });

  it('changes by other servers win, and conflicting writes of this server are in a note', async () => {
    const { store, shared, state } = await storeOfTest();
    await write(store, [set('both', '1'), set('theirs', '1'), set('mine', '1'), set('same', '1'), task('old')]);
    state.away = 'before';
    await write(store, [set('both', 'mine'), set('mine', 'mine'), set('same', 'equal'), task('mine')]);
    await write(shared, [set('both', 'theirs'), set('theirs', 'theirs'), set('same', 'equal'), task('theirs')]);
    state.away = false;
    await store.comeBackAll(signal);

    expect(await valuesOf(store)).toEqual({ both: 'theirs', theirs: 'theirs', mine: 'mine', same: 'equal' });
    expect((await shared.session(HERE))?.task).toContain('"description":"theirs"');
    expect(state.conflicts.map(({ key, local }) => [key, key && textOf(local)])).toEqual([
      ['both', 'mine'],
      ['', ''],
    ]);
    const [note] = (await notesOf(shared)).map((each) => JSON.parse(each) as { conflict: Record<string, unknown> });
    expect(note?.conflict).toEqual({
      key: 'both',
      written_while_redis_was_away: { media_type: 'text/plain', value: 'mine' },
    });
  });

  it('a write applied but not answered › is applied once, and is no conflict', async () => {
    const { store, shared, state } = await storeOfTest();
    await write(store, [set('a', '1'), append('one')]);
    state.away = 'after';
    await write(store, [set('a', '2'), set('b', '2'), append('two')]);
    state.away = 'before';
    await write(store, [set('a', '3'), append('three')]);
    expect(await valuesOf(shared)).toEqual({ a: '2', b: '2' });
    state.away = false;
    await store.comeBackAll(signal);

    expect(await valuesOf(shared)).toEqual({ a: '3', b: '2' });
    expect(await notesOf(shared)).toEqual(['one', 'two', 'three']);
    expect(state.conflicts).toEqual([]);
  });

  it('a merge applied but not answered › is applied once', async () => {
    const { store, shared, state } = await storeOfTest();
    await write(store, [append('one')]);
    state.away = 'before';
    await write(store, [append('two')]);
    state.away = 'after';
    await store.comeBackAll(signal);
    state.away = false;
    await store.comeBackAll(signal);

    expect(await notesOf(shared)).toEqual(['one', 'two']);
  });

  it('the process ended before the merge › the next process merges', async () => {
    const { store, shared, state, open } = await storeOfTest();
    await write(store, [set('a', '1')]);
    state.away = 'before';
    await write(store, [set('a', '2')]);
    const next = await open();
    expect(next.detours).toEqual([{ session: 'namespaces/space/sessions/run-1' }]);
    expect(await valuesOf(next)).toEqual({ a: '2' });
    state.away = false;
    await next.comeBackAll(signal);

    expect(await valuesOf(shared)).toEqual({ a: '2' });
    expect((await open()).detours).toEqual([]);
  });

  it('the fallback is switched off › earlier writes are merged, and reads no longer use copies', async () => {
    const { store, shared, state, open } = await storeOfTest();
    await write(store, [set('a', '1')]);
    await write(store, [set('other', '1')], { session: 'run-2' });
    state.away = 'before';
    await write(store, [set('a', '2')]);
    const next = await open(false);
    const other = { ...HERE, session: 'run-2' };
    await expect(valuesOf(next, { key: other })).rejects.toMatchObject(because('STORAGE_UNAVAILABLE'));
    await expect(write(next, [set('b', '2')], other)).rejects.toMatchObject(because('STORAGE_UNAVAILABLE'));
    state.away = false;
    await next.comeBackAll(signal);
    expect(await valuesOf(shared)).toEqual({ a: '2' });

    // What was written while nothing followed is not hidden by a copy from before.
    await write(next, [set('other', '2')], other);
    const again = await open();
    state.away = 'before';
    await expect(valuesOf(again, { key: other })).rejects.toMatchObject(because('STORAGE_UNAVAILABLE'));
  });

  it('versions of the copy are never reused, even when nothing is left to merge', async () => {
    const { store, shared, state } = await storeOfTest();
    await write(store, [set('a', '1')]);
    state.away = 'before';
    await write(store, [set('b', '2')]);
    await write(store, [{ kind: 'delete', key: 'b' }]);
    state.away = false;
    await store.comeBackAll(signal);

    expect(await valuesOf(shared)).toEqual({ a: '1' });
    expect((await write(shared, [set('b', '3')])).revision).toBeGreaterThan(3);
  });

  it('a session unknown to this server › accepts writes that need no state of it, and refuses the rest', async () => {
    const { store, shared, state } = await storeOfTest();
    await write(shared, [set('theirs', '1')]);
    state.away = 'before';
    const unavailable = because('STORAGE_UNAVAILABLE');
    await expect(valuesOf(store)).rejects.toMatchObject(unavailable);
    await expect(write(store, [checked('a', '1', 0)])).rejects.toMatchObject(unavailable);
    await expect(write(store, [{ kind: 'delete', key: 'a' }])).rejects.toMatchObject(unavailable);
    await write(store, [set('a', '1'), append('one')]);
    expect(await valuesOf(store)).toEqual({ a: '1' });
    state.away = false;
    await store.comeBackAll(signal);

    expect(await valuesOf(store)).toEqual({ a: '1', theirs: '1' });
  });

  it('transitions and checkpoints are refused while the store is unavailable, and wait for the merge once it is back', async () => {
    const { store, shared, state } = await storeOfTest();
    await write(store, [set('a', '1')]);
    state.away = 'before';
    await write(store, [set('a', '2')]);
    const make: SessionOp = { kind: 'checkpoint', id: 'c1', description: '', cause: 'manual', memoryRevision: 0 };
    await expect(write(store, [make])).rejects.toMatchObject(because('STORAGE_UNAVAILABLE'));
    state.away = false;
    await write(store, [make]);

    const snapshot = await shared.snapshot({ ...HERE, checkpoint: 'c1', nowUs: NOW_US });
    expect(snapshot?.entries.map(({ content }) => textOf(content))).toEqual(['2']);
    expect(store.detours).toEqual([]);
  });

  it('a request answered from the copy › has the same answer when repeated after the merge', async () => {
    const { store, shared, state } = await storeOfTest();
    const idempotency = { requestId: 'r', fingerprint: 'f' };
    await write(store, [set('a', '1')]);
    state.away = 'before';
    const first = await write(store, [append('one')], { idempotency });
    state.away = false;
    await store.comeBackAll(signal);

    expect(await write(store, [append('one')], { idempotency })).toEqual(first);
    expect(await notesOf(shared)).toEqual(['one']);
  });

  it('the session has ended meanwhile › its writes wait, and the reason is reported', async () => {
    const { store, shared, state } = await storeOfTest();
    await write(store, [set('a', '1')]);
    state.away = 'before';
    await write(store, [set('a', '2')]);
    const json = { metadata: '{}', lifecycle: '{}', answer: '{}' };
    const pause: SessionOp = { kind: 'transition', fromGeneration: 0, to: 'paused', isFrozen: true, ...json };
    await write(shared, [pause]);
    state.away = false;
    await store.comeBackAll(signal);
    expect(store.detours).toMatchObject([{ failure: expect.stringContaining('is paused') }]);

    const resume: SessionOp = { ...pause, fromGeneration: 1, to: 'active', isFrozen: false };
    await write(shared, [resume], { states: ['paused'] });
    await store.comeBackAll(signal);
    expect(await valuesOf(shared)).toEqual({ a: '2' });
  });

  it('later writes of other servers › are in the copy after the next write of this server', async () => {
    const { store, shared, state } = await storeOfTest();
    await write(store, [set('a', '1')]);
    await write(shared, [set('b', '1')]);
    await write(store, [set('c', '1')]);
    state.away = 'before';

    expect(await valuesOf(store)).toEqual({ a: '1', b: '1', c: '1' });
  });
});
