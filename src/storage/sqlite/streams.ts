import { setImmediate as turn } from 'node:timers/promises';
import type { ChangeLog, ChangeRead, LogPlace, WatchedNamespace } from '../../change-log/change-log.ts';
import type { Subscription, SubscriptionStore } from '../subscription-store.ts';
import type { SqliteAccess } from './access.ts';
import { readCompactedRevision, termOf } from './change-log.ts';
import type { Commands } from './commands/command.ts';
import { namespaceOf } from './namespace-rows.ts';
import { changedNamespaces, measureLog, placeAt, readChanges, readTail, revisionAt } from './queries/log.ts';
import { getSubscription, listSubscriptions } from './subscription-rows.ts';

/** Turns of the event loop in which the answer of a writer arrives; without it, its thread has died. */
const TURNS_MAX = 1000;

export interface StoreAccess extends SqliteAccess {
  revision(): number;
  readonly listeners: Set<() => void>;
  /** The term of this opening of the folder, and the revision at its start. */
  readonly term: { readonly id: string; readonly startRevision: number };
}

/** The change log of a store and the durable subscriptions to it. */
export class SqliteStreams implements ChangeLog, SubscriptionStore {
  private readonly access: StoreAccess;

  constructor(access: StoreAccess) {
    this.access = access;
  }

  get revision(): number {
    return this.access.revision();
  }
  changedNamespaces(read: { afterRevision: number; limit: number }): Promise<readonly string[] | undefined> {
    return this.access.read((database) => changedNamespaces(database, read));
  }
  compactedRevision(): Promise<number> {
    return this.access.read(readCompactedRevision);
  }
  watchedNamespace(name: string): Promise<WatchedNamespace> {
    return this.access.read((database) => ({ key: namespaceOf(database, name).key, name }));
  }
  place(namespace: WatchedNamespace, revision: number): Promise<LogPlace> {
    return this.access.read((database) => placeAt(database, namespace, revision));
  }
  async termAt(revision: number): Promise<string> {
    const { id, startRevision } = this.access.term;
    return revision > startRevision ? id : this.access.read((database) => termOf(database, revision));
  }
  /** The database may be ahead of `revision`, as the answer of its writer is on its way. */
  async revisionAt(namespace: WatchedNamespace, place: LogPlace): Promise<number> {
    const found = await this.access.read((database) => revisionAt(database, namespace, place));
    for (let left = TURNS_MAX; found > this.revision && left > 0; left--) await turn();
    return found;
  }
  readChanges(read: ChangeRead): ReturnType<ChangeLog['readChanges']> {
    return this.access.read((database) => readChanges(database, read));
  }
  readTail(read: Parameters<ChangeLog['readTail']>[0]): ReturnType<ChangeLog['readTail']> {
    return this.access.read((database) => readTail(database, read));
  }
  onCommit(listener: () => void): () => void {
    this.access.listeners.add(listener);
    return () => void this.access.listeners.delete(listener);
  }
  measure(read: Parameters<ChangeLog['measure']>[0]): ReturnType<ChangeLog['measure']> {
    return this.access.read((database) => measureLog(database, read));
  }
  compact(write: Commands['compactLog']['write']): Promise<boolean> {
    return this.access.write({ kind: 'compactLog', ...write });
  }

  createSubscription(
    write: Commands['createSubscription']['write'],
  ): ReturnType<SubscriptionStore['createSubscription']> {
    return this.access.write({ kind: 'createSubscription', ...write });
  }
  deleteSubscription(write: Commands['deleteSubscription']['write']): Promise<{ revision: number }> {
    return this.access.write({ kind: 'deleteSubscription', ...write });
  }
  getSubscription(namespace: string, id: string): Promise<Subscription> {
    return this.access.read((database) => getSubscription(database, namespace, id));
  }
  listSubscriptions(namespace: string): Promise<Subscription[]> {
    return this.access.read((database) => listSubscriptions(database, namespace));
  }
  moveCursors(write: Commands['moveCursors']['write']): Promise<void> {
    return this.access.write({ kind: 'moveCursors', ...write });
  }
  forgetConsumers(write: Commands['forgetConsumers']['write']): Promise<number> {
    return this.access.write({ kind: 'forgetConsumers', ...write });
  }
}
