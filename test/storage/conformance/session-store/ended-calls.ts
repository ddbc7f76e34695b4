import { expect, it } from '@jest/globals';
import { servingCall } from '../../../../src/storage/current-call.ts';
import { CANCELLED, EndingCall } from '../../../support/ending-call.ts';
import { type StoreOfTest, set, valuesOf, write } from './session-of-test.ts';

const ONCE = { idempotency: { requestId: 'r', fingerprint: 'f' } };

/** Writes of calls that end early. */
export function endedCalls(store: StoreOfTest): void {
  it('the call ends while the write waits › not carried out, and its repetition is new', async () => {
    await write(store(), [set('first', '1')]);
    const call = new EndingCall();
    const late = servingCall(call, () => write(store(), [set('a', 'late')], ONCE));
    call.end();
    await expect(late).rejects.toBe(CANCELLED);
    expect(await valuesOf(store())).toEqual({ first: '1' });
    await write(store(), [set('a', 'late')], ONCE);
    expect(await valuesOf(store())).toEqual({ first: '1', a: 'late' });
  });

  it('the call has ended before › not carried out', async () => {
    const late = servingCall(EndingCall.ended(), () => write(store(), [set('a', 'late')]));
    await expect(late).rejects.toBe(CANCELLED);
    await write(store(), [set('b', '1')]);
    expect(await valuesOf(store())).toEqual({ b: '1' });
  });

  it('several writes of a call › it ends after the first › the others are carried out', async () => {
    const call = new EndingCall();
    await servingCall(call, async () => {
      await write(store(), [set('a', '1')]);
      const second = write(store(), [set('b', '2')]);
      call.end();
      await second;
    });
    expect(await valuesOf(store())).toEqual({ a: '1', b: '2' });
  });
}
