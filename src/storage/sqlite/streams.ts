import { setImmediate as turn } from 'node:timers/promises';
import type { ChangeLog } from '../change-log/change-log.ts';
import type { SubscriptionStore } from '../subscription-store.ts';
import { readCompactedRevision, termOf } from './change-log.ts';
import { namespaceOf } from './namespace-rows.ts';
import { changedNamespaces, measureLog, placeAt, readChanges, readTail, revisionAt } from './queries/log.ts';
import type { SqliteAccess } from './store-parts.ts';
import { getSubscription, listSubscriptions, listWebhooks } from './subscription-rows.ts';

/** Turns of the event loop in which the answer of a writer arrives; without it, its thread has died. */
const TURNS_MAX = 1000;

export interface StoreAccess extends SqliteAccess {
  revision(): number;
  readonly listeners: Set<() => void>;
  /** The term of this opening of the folder, and the revision at its start. */
  readonly term: { readonly id: string; readonly startRevision: number };
}

/** The change log of a store and the durable subscriptions to it. */
export function sqliteStreams({ revision, listeners, term, read, write }: StoreAccess): ChangeLog & SubscriptionStore {
  return {
    get revision() {
      return revision();
    },
    changedNamespaces: (asked) => read((database) => changedNamespaces(database, asked)),
    compactedRevision: () => read(readCompactedRevision),
    watchedNamespace: (name) => read((database) => ({ key: namespaceOf(database, name).key, name })),
    place: (namespace, at) => read((database) => placeAt(database, namespace, at)),
    async termAt(at) {
      return at > term.startRevision ? term.id : read((database) => termOf(database, at));
    },
    /** The database may be ahead of `revision`, as the answer of its writer is on its way. */
    async revisionAt(namespace, place) {
      const found = await read((database) => revisionAt(database, namespace, place));
      for (let left = TURNS_MAX; found > revision() && left > 0; left--) await turn();
      return found;
    },
    readChanges: (asked) => read((database) => readChanges(database, asked)),
    readTail: (asked) => read((database) => readTail(database, asked)),
    onCommit(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    measure: (asked) => read((database) => measureLog(database, asked)),
    compact: (asked) => write({ kind: 'compactLog', ...asked }),

    createSubscription: (asked) => write({ kind: 'createSubscription', ...asked }),
    deleteSubscription: (asked) => write({ kind: 'deleteSubscription', ...asked }),
    getSubscription: (namespace, id) => read((database) => getSubscription(database, namespace, id)),
    listSubscriptions: (namespace) => read((database) => listSubscriptions(database, namespace)),
    changeWebhook: (asked) => write({ kind: 'changeWebhook', ...asked }),
    listWebhooks: () => read(listWebhooks),
    moveCursors: (asked) => write({ kind: 'moveCursors', ...asked }),
    forgetConsumers: (asked) => write({ kind: 'forgetConsumers', ...asked }),
  };
}
