import type { Micros } from '../../../memory/memory.ts';
import { EventBell } from '../../event-bell.ts';
import { consumersFull, eventsForgotten } from '../../lifecycle-event-errors.ts';
import type { LifecycleEvents, StoredEvent } from '../../lifecycle-events.ts';

type Asked<K extends keyof LifecycleEvents> = Parameters<LifecycleEvents[K]>[0];

interface Journal {
  events: (StoredEvent & { readonly atUs: Micros })[];
  newest: number;
  forgotten: number;
  readonly consumers: Map<string, number>;
}

/** Keeps events in the process: for tests, and the measure of the durable stores. */
export class InMemoryLifecycleEvents implements LifecycleEvents {
  private readonly journals = new Map<string, Journal>();
  private readonly bell = new EventBell();

  /** What a write of a session calls for the event that it brings. */
  add(namespace: string, body: string, atUs: Micros): number {
    const journal = this.journal(namespace);
    journal.newest += 1;
    journal.events.push({ sequence: journal.newest, body, atUs });
    return journal.newest;
  }

  async read({ namespace, afterSequence, limit }: Asked<'read'>): Promise<StoredEvent[]> {
    const { events, forgotten } = this.journal(namespace);
    if (afterSequence < forgotten) throw eventsForgotten(namespace, forgotten);
    const after = events.filter(({ sequence }) => sequence > afterSequence);
    return after.slice(0, limit).map(({ sequence, body }) => ({ sequence, body }));
  }
  async ends(namespace: string): Promise<{ newest: number; forgotten: number }> {
    const { newest, forgotten } = this.journal(namespace);
    return { newest, forgotten };
  }
  async append({ namespace, body, atUs }: Asked<'append'>): Promise<number> {
    return this.add(namespace, body, atUs);
  }
  async acknowledge({ namespace, consumer, sequence, consumersMax }: Asked<'acknowledge'>): Promise<number> {
    const { consumers } = this.journal(namespace);
    const known = consumers.get(consumer);
    if (known === undefined && consumers.size >= consumersMax) throw consumersFull(namespace, consumersMax);
    const now = Math.max(known ?? 0, sequence);
    consumers.set(consumer, now);
    return now;
  }
  async acknowledged({ namespace, consumer }: Asked<'acknowledged'>): Promise<number | undefined> {
    return this.journal(namespace).consumers.get(consumer);
  }
  async erase({ beforeUs, limit }: Asked<'erase'>): Promise<number> {
    let count = 0;
    for (const journal of this.journals.values()) {
      const last = journal.events.slice(0, limit - count).findLast(({ atUs }) => atUs < beforeUs)?.sequence ?? 0;
      const kept = journal.events.filter(({ sequence }) => sequence > last);
      count += journal.events.length - kept.length;
      journal.events = kept;
      journal.forgotten = Math.max(journal.forgotten, last);
    }
    return count;
  }
  async eraseNamespace(namespace: string): Promise<void> {
    this.journals.delete(namespace);
  }
  onEvent(listener: (namespace: string) => void): () => void {
    return this.bell.on(listener);
  }
  announce(namespace: string): void {
    this.bell.ring(namespace);
  }

  private journal(namespace: string): Journal {
    const known = this.journals.get(namespace);
    if (known) return known;
    const journal: Journal = { events: [], newest: 0, forgotten: 0, consumers: new Map() };
    this.journals.set(namespace, journal);
    return journal;
  }
}
