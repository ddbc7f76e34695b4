import type { Idempotency } from '../../memory/call.ts';
import type { BodyCopies } from '../body-store.ts';
import type { MemoryStore } from '../memory-store.ts';
import type { LoggedRecords } from '../record-log.ts';
import type { TierStore } from '../tier-store.ts';
import { ChangedNames } from './changed-names.ts';
import { IdleNamespaces } from './idle-namespaces.ts';
import { sumOfStatistics } from './sum-statistics.ts';
import { ViewBudget } from './view-budget.ts';
import type { BuildCounts } from './view-builds.ts';
import { ViewFollower, type ViewLag } from './view-follower.ts';
import type { ViewedOptions } from './viewed-options.ts';
import { ViewedReads } from './viewed-reads.ts';
import { ViewedTiers } from './viewed-tiers.ts';

type Asked<K extends keyof MemoryStore> = MemoryStore[K] extends (...asked: infer A) => unknown ? A[0] : never;
type Answer<K extends keyof MemoryStore> = MemoryStore[K] extends (...asked: never[]) => infer A ? A : never;

/** What a view has, and the work on it. */
export interface ViewState {
  readonly lag: ViewLag;
  readonly namespaceCount: number;
  /** Some seconds ago. */
  readonly bytes: number;
  readonly builds: BuildCounts;
  /** Namespaces evicted since the start of the server. */
  readonly evictedCount: number;
}

/**
 * A record store whose memories are listed, counted and summed by a view that follows its log. Each such read first
 * brings the namespace in the view to the end of the log, so that it has every acknowledged write of any server; the
 * first one has it built.
 */
export class ViewedMemoryStore implements MemoryStore {
  readonly isShared: boolean;
  readonly tiers: TierStore;
  readonly follower: ViewFollower;
  readonly budget: ViewBudget;
  readonly idle: IdleNamespaces;
  readonly changed = new ChangedNames();
  private readonly records: LoggedRecords;
  private readonly view: ViewedOptions['view'];
  private readonly reads: ViewedReads;
  private readonly unfollow: () => void;

  constructor(options: ViewedOptions) {
    const { records, view } = options;
    this.records = records;
    this.view = view;
    this.isShared = records.isShared;
    this.follower = new ViewFollower(options);
    this.budget = new ViewBudget({ ...options, follower: this.follower });
    this.idle = new IdleNamespaces(options, this.follower);
    this.reads = new ViewedReads(this.follower);
    this.tiers = new ViewedTiers(this.reads, records, view.tiers);
    this.unfollow = records.follow((namespace) => {
      this.changed.note(namespace);
      this.follower.wake(namespace);
    });
  }

  get viewState(): ViewState {
    const { lag, heldCount: namespaceCount, buildCounts: builds } = this.follower;
    const { bytes, evictedCount } = this.budget;
    return { lag, namespaceCount, bytes, builds, evictedCount };
  }

  /** Texts and contents in the view. */
  get bodies(): BodyCopies {
    const { copies } = this.view;
    return {
      bodies: (owners) => copies.bodies(owners),
      withoutBody: (owners) => copies.withoutBody(owners),
      renew: (...memories) => this.follower.renew(...memories),
    };
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

  list(read: Asked<'list'>): Answer<'list'> {
    return this.reads.one(read.namespace, () => this.view.list(read));
  }
  count(read: Asked<'count'>): Answer<'count'> {
    return this.reads.one(read.namespace, () => this.view.count(read));
  }
  listScopes(read: Asked<'listScopes'>): Answer<'listScopes'> {
    return this.reads.one(read.namespace, () => this.view.listScopes(read));
  }
  async statistics(namespace?: string): Answer<'statistics'> {
    if (namespace !== undefined) return this.reads.one(namespace, () => this.view.statistics(namespace));
    const names = await this.reads.each(async (name) => name);
    const leave = names.map((name) => this.follower.keep(name));
    try {
      if (names.every((name) => this.follower.isComplete(name))) return await this.view.statistics();
    } finally {
      for (const each of leave) each();
    }
    // Some were evicted meanwhile, or are built again: the view does not have room for all.
    return sumOfStatistics(await this.reads.each((name) => this.view.statistics(name)));
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
    await this.budget.end();
    await this.follower.end();
    await this.records.close();
    await this.view.close();
  }
}
