import { expect, it } from '@jest/globals';
import { servingCall } from '../../../../src/storage/current-call.ts';
import { CANCELLED, EndingCall } from '../../../support/ending-call.ts';
import { newMemory } from '../../../support/new-memory.ts';
import { getOne, idsOf, NOW_US, put, SPACE, type StoreOfTest } from './store-of-test.ts';

const ONCE = { idempotency: { requestId: 'r', fingerprint: 'f' } };

/** Writes of calls that end early. */
export function endedCalls(store: StoreOfTest): void {
  it('store › the call ends while the write waits › not carried out, and its repetition is new', async () => {
    await put(store(), [newMemory({ id: 'first' })]);
    const call = new EndingCall();
    const late = servingCall(call, () => put(store(), [newMemory({ id: 'a', text: 'late' })], ONCE));
    call.end();
    await expect(late).rejects.toBe(CANCELLED);
    expect(await getOne(store(), 'a')).toBeUndefined();
    expect(await store().outcomeOf(SPACE, ONCE.idempotency)).toBeUndefined();
    await put(store(), [newMemory({ id: 'a', text: 'late' })], ONCE);
    expect((await getOne(store(), 'a'))?.text).toBe('late');
  });

  it('store › the call has ended before › not carried out', async () => {
    await put(store(), [newMemory({ id: 'first' })]);
    const late = servingCall(EndingCall.ended(), () => put(store(), [newMemory({ id: 'a' })]));
    await expect(late).rejects.toBe(CANCELLED);
    expect(await idsOf(store())).toEqual(['first']);
  });

  it('store › other calls wait with it › theirs are carried out', async () => {
    await put(store(), [newMemory({ id: 'first' })]);
    const [call, other] = [new EndingCall(), new EndingCall()];
    const before = servingCall(other, () => put(store(), [newMemory({ id: 'before' })]));
    const late = servingCall(call, () => put(store(), [newMemory({ id: 'late' })]));
    const after = put(store(), [newMemory({ id: 'after' })]);
    call.end();
    await expect(late).rejects.toBe(CANCELLED);
    await Promise.all([before, after]);
    expect((await idsOf(store())).sort()).toEqual(['after', 'before', 'first']);
    expect([call, other].map(({ listenerCount }) => listenerCount)).toEqual([0, 0]);
  });

  it('update and delete › the call ends while they wait › not carried out', async () => {
    await put(store(), [newMemory({ id: 'a', importance: 0.5 })]);
    const call = new EndingCall();
    const update = { namespace: SPACE, id: 'a', changes: { importance: 0.1 }, atUs: NOW_US };
    const erase = { namespace: SPACE, ids: ['a'], cause: 'deleted', mustExist: true, atUs: NOW_US } as const;
    const late = [
      servingCall(call, () => store().write({ kind: 'update', ...update })),
      servingCall(call, () => store().write({ kind: 'delete', ...erase })),
      servingCall(call, () => store().write({ kind: 'deleteNamespace', name: SPACE, force: true, atUs: NOW_US })),
    ];
    call.end();
    for (const write of late) await expect(write).rejects.toBe(CANCELLED);
    expect((await getOne(store(), 'a'))?.importance).toBe(0.5);
  });

  it('several writes of a call › it ends after the first › the others are carried out', async () => {
    const call = new EndingCall();
    await servingCall(call, async () => {
      await put(store(), [newMemory({ id: 'a' })]);
      const second = put(store(), [newMemory({ id: 'b' })]);
      call.end();
      await second;
      await put(store(), [newMemory({ id: 'c' })]);
    });
    // Read outside of the call: its own reads have ended with it.
    expect((await idsOf(store())).sort()).toEqual(['a', 'b', 'c']);
  });
}
