/**
 * Lets servers with shared sessions call each other's hooks. Requests and answers are opaque text. Every implementation
 * passes `test/storage/conformance/hook-peers.suite.ts`.
 */
export interface HookPeers {
  /** Resolves when the other servers can call the hook, with a function that withdraws it. */
  offer(hook: HookOffer): Promise<() => void>;
  /** Present hooks of the other servers; those of a dead server disappear some seconds later. */
  others(): Promise<readonly PeerHook[]>;
  /** Withdraws all hooks. Safe to call twice. */
  close(): Promise<void>;
}

export interface HookOffer {
  readonly name: string;
  /** Description of the hook for other servers. */
  readonly description: string;
  /** `PeerHook.ask` fails with the error that this throws. The signal is aborted when the caller no longer waits. */
  answer(question: string, signal: AbortSignal): Promise<string>;
}

export interface PeerHook {
  readonly name: string;
  readonly description: string;
  /**
   * Fails with the signal's reason when it is aborted before an answer, and when the hook is gone. The other server
   * waits for the hook for the same time.
   */
  ask(question: string, timeoutMs: number, signal: AbortSignal): Promise<string>;
}

export function hookIsGone(name: string): Error {
  return new Error(`the hook ${name} is not connected to its server any more`);
}
