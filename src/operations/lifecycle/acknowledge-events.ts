import type { Clock } from '../../memory/clock.ts';
import { invalidFields } from '../../memory/errors.ts';
import type { LifecycleEvents } from '../../storage/lifecycle-events.ts';
import type { MemoryStore } from '../../storage/memory-store.ts';

const CONSUMERS_MAX = 1000;

/** Notes how far a consumer is; resolves to how far it is now. */
export async function acknowledgeEvents(
  { store, events, clock }: { store: MemoryStore; events: LifecycleEvents; clock: Clock },
  { namespace, consumer, sequence }: { namespace: string; consumer: string; sequence: number },
): Promise<number> {
  await store.getNamespace(namespace);
  const { newest } = await events.ends(namespace);
  if (sequence > newest) {
    throw invalidFields([{ field: 'resume_token', description: 'is of an event that this server has not had' }]);
  }
  return events.acknowledge({ namespace, consumer, sequence, consumersMax: CONSUMERS_MAX, atUs: clock.nowUs() });
}
