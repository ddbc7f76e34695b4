import { hash } from 'node:crypto';
import type { LifecycleEvents } from '../../../storage/lifecycle-events.ts';

const MARK_LENGTH = 12;

/** Behind an event of a namespace. */
export interface EventPlace {
  readonly sequence: number;
  /**
   * Tells the event from one that has its sequence in a store that went back to an older state; empty where it is not known,
   * as of an event that is kept no longer.
   */
  readonly mark: string;
}

export function placeBehind({ sequence, body }: { sequence: number; body: string }): EventPlace {
  return { sequence, mark: hash('sha256', body).slice(0, MARK_LENGTH) };
}

export async function placeAt(events: LifecycleEvents, namespace: string, sequence: number): Promise<EventPlace> {
  const { forgotten } = await events.ends(namespace);
  const unknown = { sequence, mark: '' };
  if (sequence <= forgotten) return unknown;
  const [event] = await events.read({ namespace, afterSequence: sequence - 1, limit: 1 });
  return event?.sequence === sequence ? placeBehind(event) : unknown;
}

/** True when another event than the one that the place is behind may have its sequence, or none: it was lost. */
export async function isLost(events: LifecycleEvents, namespace: string, place: EventPlace): Promise<boolean> {
  const { newest, forgotten } = await events.ends(namespace);
  if (place.sequence > newest) return true;
  if (place.mark === '' || place.sequence <= forgotten) return false;
  return (await placeAt(events, namespace, place.sequence)).mark !== place.mark;
}
