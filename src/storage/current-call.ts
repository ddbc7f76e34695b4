import { CallContext } from './call-context.ts';

/** A call as its work in stores sees it. To end early is to end by the deadline, or because the caller has gone. */
export interface Ending {
  /** Aborted when the call ends early. */
  readonly signal: AbortSignal;
  /** Why the call has ended early; `undefined` while it has not. */
  readonly stopReason: Error | undefined;
  /** Has the listener called when the call ends early: for far less than a listener of the signal costs. */
  onStop(listener: (reason: Error) => void): void;
  offStop(listener: (reason: Error) => void): void;
}

/** Takes a write out of its queue, and fails it. */
type Withdrawal = (reason: Error) => void;

/**
 * The work for one call. Its reads end with the call, and a write that waits is left out, until its first write is sent to a
 * store: what follows is carried out, so that work of several steps does not stop in the middle.
 */
class CallWork {
  private call: Ending | undefined;
  private hasWritten = false;
  private readonly isStream: boolean;
  private withdrawals: Set<Withdrawal> | undefined;

  constructor(call: Ending, isStream: boolean) {
    this.call = call;
    this.isStream = isStream;
  }

  /** Ends reads; `undefined` where they go on. */
  get signal(): AbortSignal | undefined {
    return this.isStream || !this.hasWritten ? this.call?.signal : undefined;
  }

  /** Whether a write may still be left out. */
  get isUnwritten(): boolean {
    return this.call !== undefined && !this.isStream && !this.hasWritten;
  }

  throwIfStopped(): void {
    if (this.call?.stopReason) throw this.call.stopReason;
  }

  withdrawAtEnd(withdraw: Withdrawal): void {
    if (!this.withdrawals) {
      this.withdrawals = new Set();
      this.call?.onStop(this.stop);
    }
    this.withdrawals.add(withdraw);
  }

  sent(): void {
    this.hasWritten = true;
    this.withdrawals?.clear();
  }

  /** Work that was started here and still runs belongs to no call from now on. */
  finish(): void {
    if (this.withdrawals) this.call?.offStop(this.stop);
    this.withdrawals = undefined;
    this.call = undefined;
  }

  private readonly stop = (reason: Error): void => {
    const withdrawals = [...(this.withdrawals ?? [])];
    this.withdrawals?.clear();
    for (const withdraw of withdrawals) withdraw(reason);
  };
}

/** A write that waits in a queue, for a call that has no other effect so far. */
export type QueuedInCall = Pick<CallWork, 'withdrawAtEnd' | 'sent'>;

/** The work that runs: its reads and writes end with it, without an argument of each contract. */
const serving = new CallContext<CallWork>();

/** Serves a call of one request: until its first write is sent, its reads and the writes that wait in a queue end with it. */
export function servingCall<T>(call: Ending, work: () => T | Promise<T>): Promise<T> {
  return serve(new CallWork(call, false), work);
}

/** Serves a stream: its reads end with it. Its writes are of many messages, and are carried out. */
export function servingStream<T>(call: Ending, work: () => T | Promise<T>): Promise<T> {
  return serve(new CallWork(call, true), work);
}

async function serve<T>(served: CallWork, work: () => T | Promise<T>): Promise<T> {
  try {
    return await serving.run(served, work);
  } finally {
    served.finish();
  }
}

/** Runs work that several calls wait for, or that goes on after the call that has woken it. */
export function outsideCall<T>(work: () => T): T {
  return serving.current ? serving.run(undefined, work) : work();
}

/** Aborted when reads are to end, as the call that is served ends early; `undefined` where they go on in any case. */
export function currentSignal(): AbortSignal | undefined {
  return serving.current?.signal;
}

/**
 * To be called when a write is to be queued; `undefined` where it is carried out in any case. Fails where the call has ended.
 * `withdrawAtEnd` is called once the write is in the queue, `sent` when it is taken out to be carried out.
 */
export function queuedInCall(): QueuedInCall | undefined {
  const served = serving.current;
  if (!served?.isUnwritten) return undefined;
  served.throwIfStopped();
  return served;
}

/**
 * To be called when a write is sent that can be left out for a while; returns what aborts it, and is aborted where the call has
 * ended. `undefined` where it is carried out in any case.
 */
export function sendingInCall(): AbortSignal | undefined {
  const served = serving.current;
  if (!served?.isUnwritten) return undefined;
  const { signal } = served;
  if (!signal?.aborted) served.sent();
  return signal;
}

/** To be called when a write is sent that is carried out in any case. */
export function writtenInCall(): void {
  serving.current?.sent();
}
