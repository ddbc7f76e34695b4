import { queuedInCall } from '../../../src/storage/current-call.ts';

/** Resolves when a write without a queue is to be carried out, in a later step; fails where its call has ended by then. */
export async function begunInCall(): Promise<void> {
  await Promise.resolve();
  queuedInCall()?.sent();
}
