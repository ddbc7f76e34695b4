import type { Idempotency } from '../../memory/call.ts';
import type { MemoryStore } from '../memory-store.ts';
import type { LoggedRecords } from '../record-log.ts';
import type { TierStore } from '../tier-store.ts';
import { ViewFollower } from './view-follower.ts';
import type { ViewedOptions } from './viewed-options.ts';

type Asked<K extends keyof MemoryStore> = MemoryStore[K] extends (...asked: infer A) => unknown ? A[0] : never;
type Answer<K extends keyof MemoryStore> = MemoryStore[K] extends (...asked: never[]) => infer A ? A : never;

/**
 * A record store whose memories are listed, counted and summed by a view that follows its log. Each such read first
 * brings the view to the end of the log, so that it has every acknowledged write of any server.
 */
export class ViewedMemoryStore implements MemoryStore {
  readonly isShared: boolean;
  readonly tiers: TierStore;
  readonly follower: ViewFollower;
  private readonly records: LoggedRecords;
  private readonly view: ViewedOptions['view'];
  private readonly unfollow: () => void;

  constructor(options: ViewedOptions) {
    const { records, view } = options;
    this.records = records;
    this.view = view;
    this.isShared = records.isShared;
    this.follower = new ViewFollower(options);
    this.tiers = new ViewedTiers(this.follower, records, view.tiers);
    this.unfollow = records.follow((namespace) => this.follower.wake(namespace));
  }

  /** Later changes have higher ones, in the records and in the log of the view. */
  get revision(): number {
    return Math.max(this.view.revision, this.records.revision);
  }
  reached(namespace: string): Promise<number> {
    return this.follower.reach(namespace);
  }

  store(write: Asked<'store'>): Answer<'store'> {
    return this.records.store(write);
  }
  update(write: Asked<'update'>): Answer<'update'> {
    return this.records.update(write);
  }
  delete(write: Asked<'delete'>): Answer<'delete'> {
    return this.records.delete(write);
  }
  touch(write: Asked<'touch'>): Answer<'touch'> {
    return this.records.touch(write);
  }
  setEmbeddings(write: Asked<'setEmbeddings'>): Answer<'setEmbeddings'> {
    return this.records.setEmbeddings(write);
  }
  postponeEmbedding(write: Asked<'postponeEmbedding'>): Answer<'postponeEmbedding'> {
    return this.records.postponeEmbedding(write);
  }
  createNamespace(write: Asked<'createNamespace'>): Answer<'createNamespace'> {
    return this.records.createNamespace(write);
  }
  updateNamespace(write: Asked<'updateNamespace'>): Answer<'updateNamespace'> {
    return this.records.updateNamespace(write);
  }
  deleteNamespace(write: Asked<'deleteNamespace'>): Answer<'deleteNamespace'> {
    return this.records.deleteNamespace(write);
  }
  getNamespace(name: string): Answer<'getNamespace'> {
    return this.records.getNamespace(name);
  }
  listNamespaces(read: Asked<'listNamespaces'>): Answer<'listNamespaces'> {
    return this.records.listNamespaces(read);
  }
  get(read: Asked<'get'>): Answer<'get'> {
    return this.records.get(read);
  }
  revisions(read: Asked<'revisions'>): Answer<'revisions'> {
    return this.records.revisions(read);
  }
  pendingEmbeddings(read: Asked<'pendingEmbeddings'>): Answer<'pendingEmbeddings'> {
    return this.records.pendingEmbeddings(read);
  }
  expired(read: Asked<'expired'>): Answer<'expired'> {
    return this.records.expired(read);
  }
  outcomeOf(namespace: string, idempotency: Idempotency): Promise<unknown> {
    return this.records.outcomeOf(namespace, idempotency);
  }

  async list(read: Asked<'list'>): Answer<'list'> {
    await this.follower.catchUp(read.namespace);
    return this.view.list(read);
  }
  async count(read: Asked<'count'>): Answer<'count'> {
    await this.follower.catchUp(read.namespace);
    return this.view.count(read);
  }
  async listScopes(read: Asked<'listScopes'>): Answer<'listScopes'> {
    await this.follower.catchUp(read.namespace);
    return this.view.listScopes(read);
  }
  async statistics(namespace?: string): Answer<'statistics'> {
    if (namespace === undefined) await this.follower.catchUpAll();
    else await this.follower.catchUp(namespace);
    return this.view.statistics(namespace);
  }

  describe(): { role: string; technology: string; durability: string }[] {
    const [view] = this.view.describe();
    const own = {
      role: 'view',
      technology: view?.technology ?? '',
      durability: 'a restart; made anew from the records',
    };
    return [...this.records.describe(), own];
  }

  async close(): Promise<void> {
    this.unfollow();
    await this.follower.end();
    await this.records.close();
    await this.view.close();
  }
}

class ViewedTiers implements TierStore {
  private readonly follower: ViewFollower;
  private readonly records: LoggedRecords;
  private readonly view: TierStore;

  constructor(follower: ViewFollower, records: LoggedRecords, view: TierStore) {
    this.follower = follower;
    this.records = records;
    this.view = view;
  }

  move(write: Parameters<TierStore['move']>[0]): ReturnType<TierStore['move']> {
    return this.records.move(write);
  }
  tierSettings(namespace: string): ReturnType<TierStore['tierSettings']> {
    return this.records.tierSettings(namespace);
  }
  setTierSettings(write: Parameters<TierStore['setTierSettings']>[0]): Promise<void> {
    return this.records.setTierSettings(write);
  }
  setMaintained(write: Parameters<TierStore['setMaintained']>[0]): Promise<void> {
    return this.records.setMaintained(write);
  }
  maintainedAtUs(namespace: string): ReturnType<TierStore['maintainedAtUs']> {
    return this.records.maintainedAtUs(namespace);
  }

  async members(read: Parameters<TierStore['members']>[0]): ReturnType<TierStore['members']> {
    await this.follower.catchUp(read.namespace);
    return this.view.members(read);
  }
  async totals(namespace?: string): ReturnType<TierStore['totals']> {
    if (namespace === undefined) await this.follower.catchUpAll();
    else await this.follower.catchUp(namespace);
    return this.view.totals(namespace);
  }
}
