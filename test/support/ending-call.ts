import { MnemeError } from '../../src/memory/errors.ts';
import type { Ending } from '../../src/storage/current-call.ts';

export const CANCELLED = new MnemeError('CANCELLED', 'the caller cancelled the call');

/** A call that a test ends. */
export class EndingCall implements Ending {
  stopReason: Error | undefined;
  private readonly controller = new AbortController();
  private readonly listeners = new Set<(reason: Error) => void>();

  static ended(): EndingCall {
    const call = new EndingCall();
    call.end();
    return call;
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  onStop(listener: (reason: Error) => void): void {
    this.listeners.add(listener);
  }

  offStop(listener: (reason: Error) => void): void {
    this.listeners.delete(listener);
  }

  /** Its listeners: none stay behind when the work for it is done. */
  get listenerCount(): number {
    return this.listeners.size;
  }

  end(reason: Error = CANCELLED): void {
    this.stopReason = reason;
    this.controller.abort(reason);
    for (const listener of [...this.listeners]) listener(reason);
  }
}
