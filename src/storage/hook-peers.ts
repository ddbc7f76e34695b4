/**
 * Lets servers that share sessions ask each other's hooks. What is asked and answered is text to it. Every implementation
 * passes `test/conformance/hook-peers.suite.ts`.
 */
export interface HookPeers {
  /** Resolves when the other servers can ask the hook, to what takes it back. */
  offer(hook: HookOffer): Promise<() => void>;
  /** Hooks of the other servers that are there now; those of a server that has died are gone some seconds later. */
  others(): Promise<readonly PeerHook[]>;
  /** Takes back what was offered. Safe to call twice. */
  close(): Promise<void>;
}

export interface HookOffer {
  readonly name: string;
  /** What other servers know of it. */
  readonly description: string;
  /** What it throws is what `PeerHook.ask` fails with. The signal is aborted when the caller waits no more. */
  answer(question: string, signal: AbortSignal): Promise<string>;
}

export interface PeerHook {
  readonly name: string;
  readonly description: string;
  /**
   * Fails with the signal's reason when no answer comes before it is aborted, and when the hook is gone. The other server
   * waits for the hook as long as is given here.
   */
  ask(question: string, timeoutMs: number, signal: AbortSignal): Promise<string>;
}

export function hookIsGone(name: string): Error {
  return new Error(`the hook ${name} is not connected to its server any more`);
}
