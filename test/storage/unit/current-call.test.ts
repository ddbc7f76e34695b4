import { describe, expect, it } from '@jest/globals';
import {
  currentSignal,
  outsideCall,
  queuedInCall,
  sendingInCall,
  servingCall,
  servingStream,
  writtenInCall,
} from '../../../src/storage/current-call.ts';
import { CANCELLED, EndingCall } from '../../support/ending-call.ts';
import { begunInCall } from '../in-memory/begun-in-call.ts';

describe('the call that is served', () => {
  it('ends while writes wait › each is withdrawn once, in order', async () => {
    const call = new EndingCall();
    const withdrawn: [number, Error][] = [];
    await servingCall(call, () => {
      for (const write of [1, 2]) queuedInCall()?.withdrawAtEnd((reason) => withdrawn.push([write, reason]));
      call.end();
      call.end();
    });
    expect(withdrawn).toEqual([
      [1, CANCELLED],
      [2, CANCELLED],
    ]);
  });

  it('ends after a write was sent › none is withdrawn, further reads and writes go on', async () => {
    const call = new EndingCall();
    const withdrawn: Error[] = [];
    await servingCall(call, () => {
      const [first, second] = [queuedInCall(), queuedInCall()];
      first?.withdrawAtEnd((reason) => withdrawn.push(reason));
      second?.withdrawAtEnd((reason) => withdrawn.push(reason));
      first?.sent();
      call.end();
      expect([queuedInCall(), sendingInCall(), currentSignal()]).toEqual([undefined, undefined, undefined]);
    });
    expect(withdrawn).toEqual([]);
    expect(call.listenerCount).toBe(0);
  });

  it('has ended › no write begins, and reads are aborted', async () => {
    await servingCall(EndingCall.ended(), async () => {
      expect(queuedInCall).toThrow(CANCELLED);
      expect(sendingInCall()?.aborted).toBe(true);
      await expect(begunInCall()).rejects.toBe(CANCELLED);
      expect(currentSignal()?.aborted).toBe(true);
      writtenInCall();
      expect(queuedInCall()).toBeUndefined();
    });
  });

  it('is done, or work runs outside of it › nothing belongs to it', async () => {
    const call = new EndingCall();
    const { promise, resolve } = Promise.withResolvers<void>();
    let later: Promise<unknown> | undefined;
    const withdrawn: Error[] = [];
    await servingCall(call, () => {
      queuedInCall()?.withdrawAtEnd((reason) => withdrawn.push(reason));
      expect(outsideCall(() => [currentSignal(), queuedInCall()])).toEqual([undefined, undefined]);
      later = promise.then(() => [currentSignal(), queuedInCall()]);
    });
    call.end();
    resolve();
    expect(await later).toEqual([undefined, undefined]);
    expect(withdrawn).toEqual([]);
    expect(outsideCall(() => currentSignal())).toBeUndefined();
  });

  it('is a stream › its reads end with it, also after writes; its writes are carried out', async () => {
    const call = new EndingCall();
    await servingStream(call, async () => {
      expect(queuedInCall()).toBeUndefined();
      await begunInCall();
      writtenInCall();
      expect(currentSignal()).toBe(call.signal);
    });
  });
});
