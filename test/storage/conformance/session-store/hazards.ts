import { expect, test } from '@jest/globals';
import { MnemeError } from '../../../../src/memory/errors.ts';
import type { TaskFields } from '../../../../src/memory/session.ts';
import {
  act,
  append,
  checkpoint,
  HERE,
  NOW_US,
  notesOf,
  type StoreOfTest,
  set,
  text,
  textOf,
  valuesOf,
  write,
} from './session-of-test.ts';

const TASK: TaskFields = {
  taskId: 't',
  description: 'find the harbour',
  status: 'pending',
  detail: '',
  currentStep: 0,
  totalSteps: 0,
  progressPercent: 0,
};
const ROUNDS = 20;

/** What was lost, torn or mixed up in the module that this one replaces; see `docs/parity.md`. */
export function hazards(store: StoreOfTest): void {
  test('a checkpoint among concurrent writes is a consistent snapshot: keys written together are equal in it', async () => {
    await write(store(), [set('a', '0'), set('b', '0'), append('0')]);
    const writing = (async () => {
      for (let at = 1; at <= ROUNDS; at++)
        await write(store(), [set('a', `${at}`), set('b', `${at}`), append(`${at}`)]);
    })();
    for (let at = 0; at < 10; at++) await act(store(), checkpoint(`c${at}`));
    await writing;
    for (let at = 0; at < 10; at++) {
      const snapshot = await store().snapshot({ ...HERE, checkpoint: `c${at}`, nowUs: NOW_US });
      const [a, b] = (snapshot?.entries ?? []).map(({ content }) => textOf(content));
      expect([a, snapshot?.notes.length]).toEqual([b, Number(a) + 1]);
    }
  });

  test('a read during restores returns the state of one checkpoint, never a mixture and never nothing', async () => {
    for (const id of ['one', 'two']) {
      const keys = Array.from({ length: 30 }, (_, at) => set(`k${at}`, id));
      await write(store(), [...keys, checkpoint(id)]);
    }
    let isOver = false;
    const reading = (async () => {
      while (!isOver) {
        const snapshot = await store().snapshot({ ...HERE, nowUs: NOW_US });
        const values = new Set((snapshot?.entries ?? []).map(({ content }) => textOf(content)));
        expect([values.size, snapshot?.entries.length]).toEqual([1, 30]);
        // A store that never waits would keep the writer from its turn.
        await new Promise(setImmediate);
      }
    })();
    for (let at = 0; at < ROUNDS; at++) {
      await act(store(), { kind: 'restore', id: at % 2 === 0 ? 'one' : 'two', mode: 'replace' });
    }
    isOver = true;
    await reading;
  });

  test('clear among concurrent writes erases the keys present at its revision and no later ones', async () => {
    const written = new Map<string, number>();
    await write(store(), [set('first', '1'), append('kept')]);
    const writers = Array.from({ length: ROUNDS }, async (_, at) => {
      const { revision } = await write(store(), [set(`k${at}`, 'v')]);
      written.set(`k${at}`, revision);
    });
    const cleared = write(store(), [{ kind: 'clear', values: true, task: false, notes: false, checkpoints: false }]);
    await Promise.all([...writers, cleared]);
    const { revision } = await cleared;
    const after = [...written].filter(([, at]) => at > revision).map(([key]) => key);
    expect(Object.keys(await valuesOf(store())).sort()).toEqual(after.sort());
    expect(await notesOf(store())).toEqual(['kept']);
  });

  test('keys named like internal records are ordinary keys: task, notes and checkpoints stay separate', async () => {
    await write(store(), [{ kind: 'setTask', task: TASK }, append('note'), checkpoint('c1')]);
    expect(await valuesOf(store())).toEqual({});
    const names = ['_task_state', '_scratchpad', '_metadata', '_checkpoint:c1', '__checkpoint__c1'];
    await write(
      store(),
      names.map((name) => set(name, 'mine')),
    );
    for (const name of names) await act(store(), { kind: 'delete', key: name });
    expect((await store().session(HERE))?.task).toContain('find the harbour');
    expect(await notesOf(store())).toEqual(['note']);
    expect(await store().checkpoints({ ...HERE, limit: 9, nowUs: NOW_US })).toHaveLength(1);
  });

  test('a caller that mutates a buffer after a write or a read changes neither the store nor its checkpoints', async () => {
    const content = text('as it was');
    const bytes = content.data;
    await write(store(), [{ ...set('k', ''), content } as never, checkpoint('c1')]);
    bytes.fill(0);
    for (let times = 0; times < 2; times++) {
      const { entries } = await store().get({ ...HERE, keys: ['k'], nowUs: NOW_US });
      expect(textOf(entries[0]?.content)).toBe('as it was');
      if (entries[0]) entries[0].content.data.fill(0);
    }
    await act(store(), set('k', 'later'));
    await act(store(), { kind: 'restore', id: 'c1', mode: 'replace' });
    expect(await valuesOf(store())).toEqual({ k: 'as it was' });
  });

  test('an empty value, keys of every character class and the longest session id round-trip unchanged', async () => {
    const key = { namespace: 'space', session: `${'ä'.repeat(60)}:{}*?[]%/\\` };
    const keys = ['{', '}', ':', '%', '*', '?', '[a]', '\\', ' ', '🙂', 'Ä', '\u{10ffff}', 'k'.repeat(1024)];
    await write(
      store(),
      keys.map((name) => set(name, name === '{' ? '' : name)),
      key,
    );
    expect(await valuesOf(store(), { key })).toEqual(
      Object.fromEntries(keys.map((name) => [name, name === '{' ? '' : name])),
    );
    expect(await valuesOf(store(), { key: { ...key, session: '*' } })).toEqual({});
  });

  test('a clock set back revives no erased key and loses no order, version or live key', async () => {
    const later = NOW_US + 10_000_000;
    await write(store(), [set('short', '1', { expiry: { kind: 'at', atUs: NOW_US + 5_000_000 } }), set('long', '1')]);
    await write(store(), [append('ahead')], { atUs: later });
    await store().eraseExpired({ nowUs: later, limit: 10 });
    const first = await write(store(), [set('long', '2')], { atUs: later });
    const second = await write(store(), [set('long', '3'), append('behind')], { atUs: NOW_US });
    expect(second.revision).toBe(first.revision + 1);
    expect(await valuesOf(store(), { nowUs: NOW_US })).toEqual({ long: '3' });
    expect(await notesOf(store())).toEqual(['ahead', 'behind']);
    const { changes } = await store().changes({ ...HERE, afterRevision: 0, limit: 100 });
    const revisions = changes.map(({ revision }) => revision);
    expect(revisions).toEqual(revisions.toSorted((one, other) => one - other));
  });

  test('a write cancelled by its caller is applied completely or not at all', async () => {
    const many = Array.from({ length: 50 }, (_, at) => set(`k${at}`, 'v'));
    const failed = write(store(), [...many, { kind: 'check', key: 'none', ifVersion: 7 }]);
    await expect(failed).rejects.toBeInstanceOf(MnemeError);
    expect(await valuesOf(store())).toEqual({});
  });
}
