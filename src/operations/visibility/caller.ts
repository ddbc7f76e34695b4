import { AsyncLocalStorage } from 'node:async_hooks';
import type { Scope } from '../../memory/memory.ts';

/** From which scope a call is made, as its caller says; `everything` for who looks after the server. */
export type Caller = Scope | 'everything';

const callers = new AsyncLocalStorage<Caller>();

/** Runs work, with all that it waits for, as a call from there. */
export function asCaller<T>(caller: Caller, work: () => T): T {
  return callers.run(caller, work);
}

/** Whether a call is made from a scope, so that policies count for it. */
export function isFromScope(caller: Caller | undefined): caller is Scope {
  return caller !== undefined && caller !== 'everything';
}

/** `undefined` for a call that does not say, and for what the server does unasked. */
export function currentCaller(): Caller | undefined {
  return callers.getStore();
}
