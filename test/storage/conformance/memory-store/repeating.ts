import { expect, it } from '@jest/globals';
import { newMemory } from '../../../support/new-memory.ts';
import { because, getOne, idsOf, NOW_US, put, SPACE, type StoreOfTest } from './store-of-test.ts';

const HOUR_US = 3_600_000_000;
const claim = (requestId: string, fingerprint = 'f') => ({ idempotency: { requestId, fingerprint } });

export function repeating(store: StoreOfTest): void {
  it('store › repeated › the first outcome, one effect', async () => {
    const first = await put(store(), [newMemory({ id: 'a' })], claim('r'));
    const again = await put(store(), [newMemory({ id: 'a' })], claim('r'));
    expect(again).toEqual(first);
    expect(await store().outcomeOf(SPACE, claim('r').idempotency)).toEqual(first);
    expect(await idsOf(store())).toEqual(['a']);
  });

  it('store › repeated while the first is under way › one effect', async () => {
    const writes = Array.from({ length: 20 }, () => put(store(), [newMemory({ id: 'a' })], claim('r')));
    const [first, ...others] = await Promise.all(writes);
    for (const other of others) expect(other).toEqual(first);
  });

  it('any write › request id of another request › refused, also for reading the outcome', async () => {
    await put(store(), [newMemory({ id: 'a' })], claim('r'));
    const other = store().write({
      kind: 'delete',
      namespace: SPACE,
      ids: ['a'],
      cause: 'deleted',
      mustExist: false,
      atUs: NOW_US,
      ...claim('r', 'g'),
    });
    await expect(other).rejects.toMatchObject({ ...because('REQUEST_ID_REUSED'), metadata: { request_id: 'r' } });
    await expect(store().outcomeOf(SPACE, claim('r', 'g').idempotency)).rejects.toMatchObject(
      because('REQUEST_ID_REUSED'),
    );
    expect(await idsOf(store())).toEqual(['a']);
  });

  it('store › failed › is not recorded: the repetition can succeed', async () => {
    await put(store(), [newMemory({ id: 'a' })]);
    const write = () => put(store(), [newMemory({ id: 'a' })], claim('r'));
    await expect(write()).rejects.toMatchObject(because('MEMORY_EXISTS'));
    expect(await store().outcomeOf(SPACE, claim('r').idempotency)).toBeUndefined();
    await store().write({
      kind: 'delete',
      namespace: SPACE,
      ids: ['a'],
      cause: 'deleted',
      mustExist: true,
      atUs: NOW_US,
    });
    await write();
  });

  it('update and delete › repeated › the first outcome, one effect', async () => {
    await put(store(), [newMemory({ id: 'a' })]);
    const update = () =>
      store().write({
        kind: 'update',
        namespace: SPACE,
        id: 'a',
        changes: { importance: 0.1 },
        atUs: NOW_US,
        ...claim('u'),
      });
    expect(await update()).toEqual(await update());
    expect(await store().revisions({ namespace: SPACE, id: 'a', limit: 9, nowUs: NOW_US })).toHaveLength(2);
    const erase = () =>
      store().write({
        kind: 'delete',
        namespace: SPACE,
        ids: ['a'],
        cause: 'deleted',
        mustExist: true,
        atUs: NOW_US,
        ...claim('d'),
      });
    expect(await erase()).toEqual(await erase());
    expect(await getOne(store(), 'a')).toBeUndefined();
  });

  it('delete › with an outcome to store instead of its own › that one is stored', async () => {
    await put(store(), [newMemory({ id: 'a' })]);
    const outcomeToKeep = { revision: 5, deletedIds: ['z', 'a'], tiers: [] };
    await store().write({
      kind: 'delete',
      namespace: SPACE,
      ids: ['a'],
      cause: 'deleted',
      mustExist: false,
      atUs: NOW_US,
      outcomeToKeep,
      ...claim('d'),
    });
    expect(await store().outcomeOf(SPACE, claim('d').idempotency)).toEqual(outcomeToKeep);
  });

  it('namespace writes › repeated, also after the namespace is deleted › the first outcome', async () => {
    const create = () =>
      store().write({
        kind: 'createNamespace',
        name: SPACE,
        description: '',
        memoryLimit: 0,
        atUs: NOW_US,
        ...claim('c'),
      });
    const change = () =>
      store().write({ kind: 'updateNamespace', name: SPACE, description: 'd', atUs: NOW_US, ...claim('u') });
    const drop = () =>
      store().write({ kind: 'deleteNamespace', name: SPACE, force: false, atUs: NOW_US, ...claim('d') });
    expect(await create()).toEqual(await create());
    expect(await change()).toEqual(await change());
    expect(await drop()).toEqual(await drop());
  });

  it('any write › same request id in another namespace or after its retention › a separate write', async () => {
    await put(store(), [newMemory({ id: 'a' })], claim('r'));
    await put(store(), [newMemory({ id: 'a' })], { namespace: 'other', ...claim('r', 'g') });
    const late = put(store(), [newMemory({ id: 'b' })], { atUs: NOW_US + HOUR_US, ...claim('r', 'g') });
    expect((await late).memories).toMatchObject([{ id: 'b', written: true }]);
  });
}
