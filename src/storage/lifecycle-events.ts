import { MnemeError } from '../memory/errors.ts';
import type { Micros } from '../memory/memory.ts';

/**
 * Lifecycle events of the sessions of each namespace, in order, and the positions of their consumers. The `transition`
 * of a session's write appends events in the same transaction; see `session-transition.ts`. Every backend passes
 * `test/storage/conformance/lifecycle-events.suite.ts`.
 */
export interface LifecycleEvents {
  /**
   * Events after a sequence, in order, at most `limit`. Fails with REVISION_COMPACTED when events after it are erased.
   */
  read(read: { namespace: string; afterSequence: number; limit: number }): Promise<StoredEvent[]>;
  /** Sequences of the newest event and of the newest erased event; 0 if there is none. */
  ends(namespace: string): Promise<{ newest: number; forgotten: number }>;
  /** Appends an event without a session's write. Resolves to its sequence when it is durable. */
  append(write: { namespace: string; body: string; atUs: Micros }): Promise<number>;
  /** Advances a consumer, never backwards; resolves to its position. Beyond `consumersMax`: HOOKS_FULL. */
  acknowledge(write: {
    namespace: string;
    consumer: string;
    sequence: number;
    consumersMax: number;
    atUs: Micros;
  }): Promise<number>;
  /** `undefined` for a consumer without acknowledgements. */
  acknowledged(read: { namespace: string; consumer: string }): Promise<number | undefined>;
  /** Erases events from before an instant, at most `limit`; resolves to their number. */
  erase(write: { beforeUs: Micros; limit: number }): Promise<number>;
  /** Erases the events and consumers of a namespace that is being deleted. */
  eraseNamespace(namespace: string): Promise<void>;
  /**
   * Calls back when there may be new events: of this process at once, of others soon. Returns a function that stops it.
   */
  onEvent(listener: (namespace: string) => void): () => void;
  /** To be called after a write that appended an event. */
  announce(namespace: string): void;
}

export interface StoredEvent {
  /** Increases from event to event of a namespace, possibly with gaps. */
  readonly sequence: number;
  /** JSON of a `LifecycleEvent`. */
  readonly body: string;
}

/** For a consumer that returns after events it has not read were erased. */
export function eventsForgotten(namespace: string, forgotten: number): MnemeError {
  return new MnemeError(
    'REVISION_COMPACTED',
    `events of namespaces/${namespace} up to ${forgotten} are kept no longer: begin with the oldest that is kept`,
    { metadata: { compact_revision: String(forgotten) } },
  );
}

/** For a reader whose position is ahead of the log: later events may have the same sequences as lost ones. */
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

/** Notifies listeners in this process that a namespace may have new events. */
export class EventBell {
  private readonly listeners = new Set<(namespace: string) => void>();

  /** Returns a function that stops the notifications. */
  on(listener: (namespace: string) => void): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  ring(namespace: string): void {
    for (const listener of [...this.listeners]) listener(namespace);
  }
}
