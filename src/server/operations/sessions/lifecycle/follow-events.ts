import { hash } from 'node:crypto';
import type { Clock } from '../../../../memory/clock.ts';
import { invalidFields } from '../../../../memory/errors.ts';
import type { LifecycleEvent } from '../../../../memory/lifecycle.ts';
import type { Scope } from '../../../../memory/memory.ts';
import { isWithin } from '../../../../memory/scope.ts';
import type { Transition } from '../../../../memory/session.ts';
import { eventsForgotten, eventsLost, type LifecycleEvents } from '../../../../storage/lifecycle-events.ts';
import type { Records } from '../../../../storage/records.ts';
import type { AwaitedNamespaces } from '../../streams/stream-wait.ts';
import type { VisibilityRules } from '../../visibility/visibility.ts';

const BATCH = 100;
/** Longest time after which events that another server has written are looked for. */
const POLL_MS = 500;

export interface FollowRequest {
  readonly namespace: string;
  /** Default: after the consumer's last acknowledged event; without one, with the next event. */
  readonly start?: { readonly after: EventPlace } | 'oldest';
  readonly consumer?: string;
  readonly scope?: Scope;
  /** Empty: all. */
  readonly transitions: readonly Transition[];
  readonly heartbeatMs: number;
}

export interface Followed {
  readonly kind: 'created' | 'event' | 'heartbeat';
  /** Everything up to it was sent or skipped. */
  readonly place: EventPlace;
  readonly event?: LifecycleEvent;
}

interface Follow {
  readonly visibilityRules: VisibilityRules;
  readonly store: Records;
  readonly events: LifecycleEvents;
  /** Absent where namespaces are not created on first use. */
  readonly awaited?: Pick<AwaitedNamespaces, 'isMissing'>;
}

/** Existing events in order, then new ones, until the signal is aborted. A namespace that does not exist has none yet. */
export async function* followEvents(
  { store, events, visibilityRules, awaited }: Follow,
  request: FollowRequest,
  signal: AbortSignal,
): AsyncGenerator<Followed> {
  const { namespace, heartbeatMs } = request;
  let isAbsent = (await awaited?.isMissing(namespace)) ?? false;
  if (!isAbsent) await store.getNamespace(namespace);
  const waker = new Waker();
  const stopListening = events.onEvent((of) => {
    if (of === namespace) waker.wake();
  });
  try {
    let place = await startOf(events, request);
    yield { kind: 'created', place };
    let sentAtMs = performance.now();
    for (;;) {
      signal.throwIfAborted();
      isAbsent &&= (await awaited?.isMissing(namespace)) ?? false;
      const batch = isAbsent ? [] : await events.read({ namespace, afterSequence: place.sequence, limit: BATCH });
      const sees = isAbsent ? undefined : (await visibilityRules.of(namespace, request.scope)).sees;
      for (const stored of batch) {
        place = placeBehind(stored);
        const event = JSON.parse(stored.body) as LifecycleEvent;
        if (!isWanted(event, request) || !sees?.(event.session.scope)) continue;
        yield { kind: 'event', place, event };
        sentAtMs = performance.now();
      }
      if (batch.length > 0) continue;
      const leftMs = heartbeatMs - (performance.now() - sentAtMs);
      if (leftMs > 0) {
        await waker.wait(Math.min(leftMs, POLL_MS), signal);
      } else {
        yield { kind: 'heartbeat', place };
        sentAtMs = performance.now();
      }
    }
  } finally {
    stopListening();
  }
}

async function startOf(events: LifecycleEvents, { namespace, start, consumer }: FollowRequest): Promise<EventPlace> {
  const { newest, forgotten } = await events.ends(namespace);
  if (start === 'oldest') return { sequence: forgotten, mark: '' };
  const known = consumer === undefined ? undefined : await events.acknowledged({ namespace, consumer });
  const after = start?.after ?? (await placeAt(events, namespace, known ?? newest));
  if (after.sequence < forgotten) throw eventsForgotten(namespace, forgotten);
  // Of another store, or of this one before it was restored.
  if (await isLost(events, namespace, after)) throw eventsLost(namespace, forgotten);
  return after;
}

function isWanted({ transition, session }: LifecycleEvent, { transitions, scope }: FollowRequest): boolean {
  if (transitions.length > 0 && !transitions.includes(transition)) return false;
  return scope === undefined || isWithin(session.scope, scope);
}

const CONSUMERS_MAX = 1000;

/** Notes how far a consumer is; resolves to how far it is now. */
export async function acknowledgeEvents(
  { store, events, clock }: { store: Records; events: LifecycleEvents; clock: Clock },
  { namespace, consumer, place }: { namespace: string; consumer: string; place: EventPlace },
): Promise<EventPlace> {
  await store.getNamespace(namespace);
  if (await isLost(events, namespace, place)) {
    throw invalidFields([{ field: 'resume_token', description: 'is of an event that this server has not had' }]);
  }
  const { sequence } = place;
  const now = await events.acknowledge({
    namespace,
    consumer,
    sequence,
    consumersMax: CONSUMERS_MAX,
    atUs: clock.nowUs(),
  });
  return now === sequence ? place : placeAt(events, namespace, now);
}

const MARK_LENGTH = 12;

/** Behind an event of a namespace. */
export interface EventPlace {
  readonly sequence: number;
  /**
   * Distinguishes the event from another with the same sequence in a store that was restored to an older state; empty
   * where unknown, as for an event that is no longer kept.
   */
  readonly mark: string;
}

function placeBehind({ sequence, body }: { sequence: number; body: string }): EventPlace {
  return { sequence, mark: hash('sha256', body).slice(0, MARK_LENGTH) };
}

export async function placeAt(events: LifecycleEvents, namespace: string, sequence: number): Promise<EventPlace> {
  const { forgotten } = await events.ends(namespace);
  const unknown = { sequence, mark: '' };
  if (sequence <= forgotten) return unknown;
  const [event] = await events.read({ namespace, afterSequence: sequence - 1, limit: 1 });
  return event?.sequence === sequence ? placeBehind(event) : unknown;
}

/** True when the event at the place is lost: its sequence is unused, or belongs to another event. */
export async function isLost(events: LifecycleEvents, namespace: string, place: EventPlace): Promise<boolean> {
  const { newest, forgotten } = await events.ends(namespace);
  if (place.sequence > newest) return true;
  if (place.mark === '' || place.sequence <= forgotten) return false;
  return (await placeAt(events, namespace, place.sequence)).mark !== place.mark;
}

/** Suspends a loop until an event. A wake before the wait is not lost. */
export class Waker {
  private isAwake = false;
  private rouse: (() => void) | undefined;

  wake(): void {
    this.isAwake = true;
    this.rouse?.();
  }

  /** Resolves when it is woken, at the latest after `timeoutMs`; rejects with the signal's reason. */
  async wait(timeoutMs: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (!this.isAwake) {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const abort = () => reject(signal.reason as Error);
      const timer = setTimeout(resolve, timeoutMs);
      this.rouse = resolve;
      signal.addEventListener('abort', abort, { once: true });
      try {
        await promise;
      } finally {
        clearTimeout(timer);
        this.rouse = undefined;
        signal.removeEventListener('abort', abort);
      }
    }
    this.isAwake = false;
  }
}
