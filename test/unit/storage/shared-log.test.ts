import { describe, expect, it } from '@jest/globals';
import { servingCall } from '../../../src/storage/current-call.ts';
import { InMemoryCommandLog } from '../../../src/storage/in-memory/command-log.ts';
import { SharedLog } from '../../../src/storage/shared/shared-log.ts';
import { CANCELLED, EndingCall } from '../../support/ending-call.ts';

/** Writes that wait at most. */
const QUEUE_MAX = 10_000;
const START = { epoch: 'e', position: 0, stamp: '' };

describe('commands for the shared log', () => {
  it('of a call that ends while they wait › are not appended, and their places are free', async () => {
    const log = new InMemoryCommandLog();
    await log.begin(START.epoch, { id: 's', parts: 0, position: 0, stamp: '' }, 0);
    const carriedOut: string[] = [];
    const shared = new SharedLog(
      {
        log,
        position: async () => START,
        apply: async ({ command }) => carriedOut.push(command.toString()),
        renew: async () => undefined,
      },
      START,
    );
    const call = new EndingCall();
    const late = Array.from({ length: QUEUE_MAX }, () => servingCall(call, () => shared.submit(Buffer.from('late'))));
    await expect(shared.submit(Buffer.from('more'))).rejects.toMatchObject({ reason: 'QUEUE_FULL' });
    call.end();
    const live = Array.from({ length: 3 }, (_, number) => shared.submit(Buffer.from(`live${number}`)));
    for (const command of late) await expect(command).rejects.toBe(CANCELLED);
    await Promise.all(live);
    expect(carriedOut).toEqual(['live0', 'live1', 'live2']);
    const { entries } = await log.read(0, 10);
    expect(entries.map(({ command }) => command.toString())).toEqual(carriedOut);
    await shared.close();
  });
});
