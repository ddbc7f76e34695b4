import type { LifecycleEvent } from '../../../memory/lifecycle.ts';
import type { Scope } from '../../../memory/memory.ts';
import { isWithin } from '../../../memory/scope.ts';
import type { Transition } from '../../../memory/session-state.ts';
import { eventsForgotten, eventsLost } from '../../../storage/lifecycle-event-errors.ts';
import type { LifecycleEvents } from '../../../storage/lifecycle-events.ts';
import type { MemoryStore } from '../../../storage/memory-store.ts';
import type { Sights } from '../../visibility/sights.ts';
import { type EventPlace, isLost, placeAt, placeBehind } from './event-place.ts';
import { Waker } from './waker.ts';

const BATCH = 100;
/** Longest time after which events that another server has written are looked for. */
const POLL_MS = 500;

export interface FollowRequest {
  readonly namespace: string;
  /** Default: after what the consumer has acknowledged; without one, with the next event. */
  readonly start?: { readonly after: EventPlace } | 'oldest';
  readonly consumer?: string;
  readonly scope?: Scope;
  /** Empty: all. */
  readonly transitions: readonly Transition[];
  readonly heartbeatMs: number;
}

export interface Followed {
  readonly kind: 'created' | 'event' | 'heartbeat';
  /** Everything up to it was sent, or passed over. */
  readonly place: EventPlace;
  readonly event?: LifecycleEvent;
}

interface Follow {
  readonly sights: Sights;
  readonly store: MemoryStore;
  readonly events: LifecycleEvents;
}

/** Events in order, those that are there and then those that come, until the signal is aborted. */
export async function* followEvents(
  { store, events, sights }: Follow,
  request: FollowRequest,
  signal: AbortSignal,
): AsyncGenerator<Followed> {
  const { namespace, heartbeatMs } = request;
  await store.getNamespace(namespace);
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
      const batch = await events.read({ namespace, afterSequence: place.sequence, limit: BATCH });
      const { sees } = await sights.of(namespace, request.scope);
      for (const stored of batch) {
        place = placeBehind(stored);
        const event = JSON.parse(stored.body) as LifecycleEvent;
        if (!isWanted(event, request) || !sees(event.session.scope)) continue;
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
