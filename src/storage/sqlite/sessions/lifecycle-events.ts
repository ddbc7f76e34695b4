import { EventBell, type LifecycleEvents, type StoredEvent } from '../../lifecycle-events.ts';
import type { SqliteAccess } from '../access.ts';
import { lifecycleAcknowledged, lifecycleEnds, readLifecycleEvents } from './lifecycle-event-rows.ts';

type Asked<K extends keyof LifecycleEvents> = Parameters<LifecycleEvents[K]>[0];

/** Events of sessions in the database of the memories: the same thread writes them, in the same commits. */
export class SqliteLifecycleEvents implements LifecycleEvents {
  private readonly store: SqliteAccess;
  private readonly bell = new EventBell();

  constructor(store: SqliteAccess) {
    this.store = store;
  }

  read(read: Asked<'read'>): Promise<StoredEvent[]> {
    return this.store.read((database) => readLifecycleEvents(database, read));
  }
  ends(namespace: string): Promise<{ newest: number; forgotten: number }> {
    return this.store.read((database) => lifecycleEnds(database, namespace));
  }
  append(write: Asked<'append'>): Promise<number> {
    return this.store.write({ kind: 'appendLifecycleEvent', ...write });
  }
  acknowledge(write: Asked<'acknowledge'>): Promise<number> {
    return this.store.write({ kind: 'acknowledgeLifecycle', ...write });
  }
  acknowledged(read: Asked<'acknowledged'>): Promise<number | undefined> {
    return this.store.read((database) => lifecycleAcknowledged(database, read));
  }
  erase(write: Asked<'erase'>): Promise<number> {
    return this.store.write({ kind: 'eraseLifecycleEvents', ...write });
  }
  eraseNamespace(namespace: string): Promise<void> {
    return this.store.write({ kind: 'eraseLifecycleOf', namespace });
  }
  onEvent(listener: (namespace: string) => void): () => void {
    return this.bell.on(listener);
  }
  announce(namespace: string): void {
    this.bell.ring(namespace);
  }
}
