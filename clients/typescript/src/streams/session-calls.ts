import type { Connection } from '../connection.ts';
import { type HistoryCalls, historyCalls } from '../history-calls.ts';
import type { MemoryCalls } from '../memory-calls.ts';
import { memoryService } from '../memory-service.ts';
import { type RecallCalls, recallService } from '../recall-calls.ts';
import { SessionCaller } from './session-caller.ts';

/** The calls of MemoryService and RecallService over one stream: quicker than calls of their own, and the same otherwise. */
export interface Session extends MemoryCalls, HistoryCalls, RecallCalls {
  /**
   * Does something with each item, several at a time, and tells of each as it is done, not in the order of the items. An
   * item that fails has its `error`; the others go on.
   */
  each<Item, Result>(
    items: AsyncIterable<Item> | Iterable<Item>,
    operation: (session: Session, item: Item) => Promise<Result>,
    options?: { /** Most at a time. Default 64. */ readonly concurrency?: number },
  ): AsyncGenerator<SessionOutcome<Item, Result>, void, undefined>;
  /** Refuses more calls; resolves when all are answered, and ends the stream. */
  close(): Promise<void>;
}

export type SessionOutcome<Item, Result> =
  | { readonly item: Item; readonly result: Result }
  | { readonly item: Item; readonly error: unknown };

export interface SessionCalls {
  /**
   * Opens a session. When its stream breaks, what has no answer is asked for again over another one. Every call has the
   * timeouts and signals that it has outside; `signal` ends the whole session.
   */
  session(options?: { readonly signal?: AbortSignal }): Session;
}

export function sessionCalls(connection: Connection, namespace: string): SessionCalls {
  return {
    session({ signal } = {}) {
      const caller = new SessionCaller(connection, signal);
      const session: Session = {
        ...memoryService(caller, namespace),
        ...historyCalls(caller, namespace),
        ...recallService(caller, namespace),
        each: (items, operation, { concurrency = 64 } = {}) => each(session, items, operation, concurrency),
        close: () => caller.close(),
      };
      return session;
    },
  };
}

async function* each<Item, Result>(
  session: Session,
  items: AsyncIterable<Item> | Iterable<Item>,
  operation: (session: Session, item: Item) => Promise<Result>,
  concurrency: number,
): AsyncGenerator<SessionOutcome<Item, Result>, void, undefined> {
  const running = new Set<Promise<SessionOutcome<Item, Result>>>();
  const nextDone = async () => {
    const [outcome, promise] = await Promise.race([...running].map(async (each) => [await each, each] as const));
    running.delete(promise);
    return outcome;
  };
  for await (const item of items) {
    while (running.size >= concurrency) yield await nextDone();
    running.add(
      operation(session, item).then(
        (result) => ({ item, result }),
        (error: unknown) => ({ item, error }),
      ),
    );
  }
  while (running.size > 0) yield await nextDone();
}
