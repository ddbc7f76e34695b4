import type { Clock } from '../../../memory/clock.ts';
import { invalidFields } from '../../../memory/errors.ts';
import type { LifecycleEvents } from '../../../storage/lifecycle-events.ts';
import type { MemoryStore } from '../../../storage/memory-store.ts';
import { type EventPlace, isLost, placeAt } from './event-place.ts';

const CONSUMERS_MAX = 1000;

/** Notes how far a consumer is; resolves to how far it is now. */
export async function acknowledgeEvents(
  { store, events, clock }: { store: MemoryStore; events: LifecycleEvents; clock: Clock },
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
