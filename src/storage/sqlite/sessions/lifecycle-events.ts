import { EventBell, type LifecycleEvents } from '../../lifecycle-events.ts';
import type { SqliteAccess } from '../store-parts.ts';
import { lifecycleAcknowledged, lifecycleEnds, readLifecycleEvents } from './lifecycle-event-rows.ts';

/** Events of sessions in the database of the memories: the same thread writes them, in the same commits. */
export function sqliteLifecycleEvents(access: SqliteAccess): LifecycleEvents {
  const bell = new EventBell();
  return {
    read: (read) => access.read((database) => readLifecycleEvents(database, read)),
    ends: (namespace) => access.read((database) => lifecycleEnds(database, namespace)),
    append: (write) => access.write({ kind: 'appendLifecycleEvent', ...write }),
    acknowledge: (write) => access.write({ kind: 'acknowledgeLifecycle', ...write }),
    acknowledged: (read) => access.read((database) => lifecycleAcknowledged(database, read)),
    erase: (write) => access.write({ kind: 'eraseLifecycleEvents', ...write }),
    eraseNamespace: (namespace) => access.write({ kind: 'eraseLifecycleOf', namespace }),
    onEvent: (listener) => bell.on(listener),
    announce: (namespace) => bell.ring(namespace),
  };
}
