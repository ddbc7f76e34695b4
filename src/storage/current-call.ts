import { AsyncLocalStorage } from 'node:async_hooks';
import type { Call } from '../memory/call.ts';

type Ending = Pick<Call, 'signal'>;

/** Emptied when the work of the call is done: what it has started and left running belongs to no call. */
interface Slot {
  call: Ending | undefined;
}

/** The call that the work serves: its reads end with it, without an argument of each contract. */
const serving = new AsyncLocalStorage<Slot>();

export async function servingCall<T>(call: Ending, work: () => T | Promise<T>): Promise<T> {
  const slot: Slot = { call };
  try {
    return await serving.run(slot, work);
  } finally {
    slot.call = undefined;
  }
}

/** Aborted when the call that is served ends early; `undefined` where none is served. */
export function currentSignal(): AbortSignal | undefined {
  return serving.getStore()?.call?.signal;
}
