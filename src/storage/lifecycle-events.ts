import { MnemeError } from '../memory/errors.ts';
import type { Micros } from '../memory/memory.ts';

/**
 * What happened to the sessions of each namespace, in order, and how far its consumers are. Events are appended by the
 * `transition` of a session's write, in the same transaction; see `session-transition.ts`. Every backend passes
 * `test/conformance/lifecycle-events.suite.ts`.
 */
export interface LifecycleEvents {
  /** Events after a sequence, in order, at most `limit`. Fails with REVISION_COMPACTED when one is kept no longer. */
  read(read: { namespace: string; afterSequence: number; limit: number }): Promise<StoredEvent[]>;
  /** Sequence of the newest event that there was, and of the newest that is kept no longer; 0 where there is none. */
  ends(namespace: string): Promise<{ newest: number; forgotten: number }>;
  /** Appends an event that no write brings. Resolves to its sequence when it is durable. */
  append(write: { namespace: string; body: string; atUs: Micros }): Promise<number>;
  /** Notes how far a consumer is, never backwards; resolves to how far it is now. Beyond `consumersMax`: HOOKS_FULL. */
  acknowledge(write: {
    namespace: string;
    consumer: string;
    sequence: number;
    consumersMax: number;
    atUs: Micros;
  }): Promise<number>;
  /** `undefined` for a consumer that has acknowledged nothing. */
  acknowledged(read: { namespace: string; consumer: string }): Promise<number | undefined>;
  /** Erases events from before an instant, at most `limit`; resolves to how many. */
  erase(write: { beforeUs: Micros; limit: number }): Promise<number>;
  /** Erases the events and consumers of a namespace that is being deleted. */
  eraseNamespace(namespace: string): Promise<void>;
  /** Calls back when there may be new events, of this process at once, of others soon; returns what ends that. */
  onEvent(listener: (namespace: string) => void): () => void;
  /** To be called after a write that brought an event. */
  announce(namespace: string): void;
}

export interface StoredEvent {
  /** Grows from event to event of a namespace; numbers may be left out. */
  readonly sequence: number;
  /** JSON of a `LifecycleEvent`. */
  readonly body: string;
}

/** For a consumer that comes back after what it has not seen was erased. */
export function eventsForgotten(namespace: string, forgotten: number): MnemeError {
  return new MnemeError(
    'REVISION_COMPACTED',
    `events of namespaces/${namespace} up to ${forgotten} are kept no longer: begin with the oldest that is kept`,
    { metadata: { compact_revision: String(forgotten) } },
  );
}

/** For a reader who has seen what is not there any more: what came instead may have the same numbers. */
export function eventsLost(namespace: string, forgotten: number): MnemeError {
  return new MnemeError(
    'REVISION_COMPACTED',
    `events of namespaces/${namespace} have gone back to an older state: begin with the oldest that is kept`,
    { metadata: { compact_revision: String(forgotten) } },
  );
}

export function consumersFull(namespace: string, limit: number): MnemeError {
  return new MnemeError('HOOKS_FULL', `namespaces/${namespace} has reached its limit of ${limit} event consumers`, {
    metadata: { limit: String(limit) },
  });
}

/** Tells those who wait in this process that something may be new in a namespace. */
export class EventBell {
  private readonly listeners = new Set<(namespace: string) => void>();

  /** Returns what ends the listening. */
  on(listener: (namespace: string) => void): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  ring(namespace: string): void {
    for (const listener of [...this.listeners]) listener(namespace);
  }
}
