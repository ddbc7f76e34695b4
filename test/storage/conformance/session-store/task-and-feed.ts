import { expect, test } from '@jest/globals';
import type { TaskFields } from '../../../../src/memory/session.ts';
import {
  act,
  append,
  because,
  checkpoint,
  HERE,
  LIMITS,
  NOW_US,
  type StoreOfTest,
  set,
  valuesOf,
  write,
} from './session-of-test.ts';

const TASK: TaskFields = {
  taskId: 't',
  description: '',
  status: 'pending',
  detail: '',
  currentStep: 0,
  totalSteps: 3,
  progressPercent: 0,
};

export function taskAndFeed(store: StoreOfTest): void {
  test('a patch of the task changes only its fields; progress stays within 0 and 100', async () => {
    await act(store(), { kind: 'setTask', task: TASK });
    await act(
      store(),
      { kind: 'patchTask', patch: { status: 'in_progress', progressPercent: 140 } },
      { atUs: NOW_US + 5 },
    );
    const patched = await act(store(), { kind: 'patchTask', patch: { currentStep: 3 } }, { atUs: NOW_US + 6 });
    expect(patched.task).toMatchObject({ status: 'in_progress', progressPercent: 100, currentStep: 3, totalSteps: 3 });
    expect(patched.task).toMatchObject({ startedAtUs: NOW_US, updatedAtUs: NOW_US + 6 });
    expect((await act(store(), { kind: 'patchTask', patch: { progressPercent: -5 } })).task?.progressPercent).toBe(0);
  });

  test.each([Number.NaN, Number.POSITIVE_INFINITY])(
    'progress of %p is refused and changes nothing',
    async (progressPercent) => {
      await act(store(), { kind: 'setTask', task: TASK });
      const wrong = act(store(), { kind: 'patchTask', patch: { progressPercent } });
      await expect(wrong).rejects.toMatchObject(because('FIELD_INVALID'));
      expect((await store().snapshot({ ...HERE, nowUs: NOW_US }))?.task?.progressPercent).toBe(0);
    },
  );

  test('a step beyond the last, an unknown version and an empty patch are refused', async () => {
    const patch = { kind: 'patchTask', patch: { currentStep: 9 } } as const;
    await expect(act(store(), patch)).rejects.toMatchObject(because('TASK_NOT_FOUND'));
    await act(store(), { kind: 'setTask', task: TASK, ifVersion: 0 });
    await expect(act(store(), patch)).rejects.toMatchObject(because('FIELD_INVALID'));
    const again = act(store(), { kind: 'setTask', task: TASK, ifVersion: 0 });
    await expect(again).rejects.toMatchObject(because('VERSION_MISMATCH'));
  });

  test('concurrent updates of different fields are all applied', async () => {
    await act(store(), { kind: 'setTask', task: TASK });
    await Promise.all([
      act(store(), { kind: 'patchTask', patch: { status: 'blocked' } }),
      act(store(), { kind: 'patchTask', patch: { progressPercent: 40 } }),
      act(store(), { kind: 'patchTask', patch: { detail: 'waits' } }),
    ]);
    const task = (await store().snapshot({ ...HERE, nowUs: NOW_US }))?.task;
    expect(task).toMatchObject({ status: 'blocked', progressPercent: 40, detail: 'waits' });
  });

  test('changes are delivered in order of revision, each write as a whole', async () => {
    await write(store(), [set('a', '1'), set('b', '2')]);
    await write(store(), [{ kind: 'delete', key: 'a' }, append('n'), checkpoint('c')]);
    await act(store(), { kind: 'restore', id: 'c', mode: 'replace' });
    const { changes, revision } = await store().changes({ ...HERE, afterRevision: 0, limit: 100 });
    expect(revision).toBe(3);
    expect(changes.map((change) => [change.revision, change.kind, change.key])).toEqual([
      [1, 'set', 'a'],
      [1, 'set', 'b'],
      [2, 'deleted', 'a'],
      [2, 'noted', ''],
      [2, 'checkpoint_created', 'c'],
      [3, 'restored', 'c'],
    ]);
    const page = await store().changes({ ...HERE, afterRevision: 1, limit: 1 });
    expect(page.changes.map((change) => change.revision)).toEqual([2, 2, 2]);
  });

  test('reading compacted changes is reported as such', async () => {
    const limits = { ...LIMITS, changesMax: 10 };
    for (let at = 0; at < 30; at++) await act(store(), set('a', String(at)), { limits });
    const { changes, compactedRevision, revision } = await store().changes({ ...HERE, afterRevision: 0, limit: 100 });
    expect(compactedRevision).toBeGreaterThanOrEqual(18);
    expect(changes[0]?.revision).toBe(compactedRevision + 1);
    expect(changes.at(-1)?.revision).toBe(revision);
  });

  test('a listener is called after a write to its session, and not after a write to another', async () => {
    await act(store(), set('a', '1'));
    let calls = 0;
    const called = Promise.withResolvers<void>();
    const stop = store().onChange(HERE, () => {
      calls++;
      called.resolve();
    });
    await act(store(), set('a', '2'), { session: 'another' });
    expect(calls).toBe(0);
    await act(store(), set('a', '2'));
    await called.promise;
    stop();
    // One write may be notified twice: by its writer, and by a poll of the store.
    const notified = calls;
    await act(store(), set('a', '3'));
    expect(calls).toBe(notified);
  });

  test('a write to a missing session succeeds only when the session may be created', async () => {
    const options = { ...HERE, limits: LIMITS, atUs: NOW_US };
    const missing = store().write({ ...options, ops: [set('a', '1')] });
    await expect(missing).rejects.toMatchObject(because('SESSION_NOT_FOUND'));
    expect(await store().session(HERE)).toBeUndefined();
    expect(await store().get({ ...HERE, keys: ['a'], nowUs: NOW_US })).toEqual({ revision: 0, entries: [undefined] });
    const { created } = await write(store(), [set('a', '1')], { draft: { project: 'p', agent: 'x' } });
    expect(created).toBe(true);
    expect(await store().session(HERE)).toMatchObject({ state: 'active', project: 'p', agent: 'x', revision: 1 });
    expect((await write(store(), [], { draft: { project: 'other' } })).created).toBe(false);
    expect(await store().session(HERE)).toMatchObject({ project: 'p' });
  });

  test('a failed write creates no session', async () => {
    const wrong = act(store(), set('a', '1', { ifVersion: 4 }));
    await expect(wrong).rejects.toMatchObject(because('VERSION_MISMATCH'));
    expect(await store().session(HERE)).toBeUndefined();
  });

  test('a repeated request has one effect and the first outcome; a different request with its id is refused', async () => {
    const idempotency = { requestId: 'r', fingerprint: 'f' };
    const first = await write(store(), [append('one')], { idempotency });
    expect(await write(store(), [append('one')], { idempotency })).toEqual(first);
    expect((await store().outcomeOf(HERE, idempotency))?.revision).toBe(first.revision);
    expect(await store().statistics(HERE, NOW_US)).toMatchObject({ noteCount: 1 });
    const other = write(store(), [append('two')], { idempotency: { requestId: 'r', fingerprint: 'g' } });
    await expect(other).rejects.toMatchObject(because('REQUEST_ID_REUSED'));
  });

  test('erasing a session erases all its data, and a new session of its name starts empty', async () => {
    await write(store(), [set('a', '1'), append('n'), checkpoint('c')]);
    expect(await store().eraseSession(HERE)).toBe(true);
    expect(await store().eraseSession(HERE)).toBe(false);
    await act(store(), set('b', '2'));
    expect(await valuesOf(store())).toEqual({ b: '2' });
    expect(await store().statistics(HERE, NOW_US)).toMatchObject({ noteCount: 0, checkpointCount: 0, revision: 1 });
  });

  test('deleting a namespace deletes its sessions and no others', async () => {
    await act(store(), set('a', '1'));
    await act(store(), set('a', '1'), { session: 'run-2' });
    await act(store(), set('a', '1'), { namespace: 'space-2' });
    await store().eraseNamespace(HERE.namespace);
    expect(await store().sessions({ namespace: HERE.namespace, limit: 10 })).toEqual([]);
    expect(await store().sessions({ namespace: 'space-2', limit: 10 })).toHaveLength(1);
  });
}
