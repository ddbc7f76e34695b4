import type { Idempotency } from '../../../src/memory/call.ts';
import { MnemeError, memoryNotFound } from '../../../src/memory/errors.ts';
import { admits } from '../../../src/memory/evaluate-filter.ts';
import type { Micros } from '../../../src/memory/memory.ts';
import { changed, type TierSettings } from '../../../src/memory/tier-settings.ts';
import type {
  Change,
  ChangeKind,
  ChangeOf,
  DeleteOutcome,
  NamespaceDeletion,
  NamespaceOutcome,
  NamespaceWrite,
  Outcome,
  PastState,
  PostponeWrite,
  Records,
} from '../../../src/storage/records.ts';
import { changeDraft, type DraftKind, namespaceOf, requestOf } from '../../../src/storage/rules/change-draft.ts';
import { type Entry, inView } from '../../../src/storage/rules/draft.ts';
import { isExpired } from '../../../src/storage/rules/memory-rules.ts';
import type { Answer, Asked, View } from '../../../src/storage/view.ts';
import { AllNamespaces } from './all-namespaces.ts';
import { InMemoryChangeLog } from './change-log.ts';
import { listPage } from './list-page.ts';
import { countByTier, scopesOf, statisticsOf } from './projection.ts';
import { InMemorySubscriptions } from './subscriptions.ts';
import { membersOf, sizeOf, totalsOf } from './tiers.ts';

const RETENTION_MS = 24 * 60 * 60 * 1000;

/** Keeps memories in the process only: for tests, as the reference for the durable stores. */
export class InMemoryMemoryStore implements Records, View {
  readonly isShared = false;
  /** The change log of the store. */
  readonly log: InMemoryChangeLog;
  /** Durable subscriptions to the change log, which last as long as the process. */
  readonly subscriptions: InMemorySubscriptions;
  private readonly namespaces: AllNamespaces;
  /** Settings for all namespaces. */
  private settings: TierSettings = new Map();
  private readonly maintained = new Map<string, Micros>();

  constructor({ idempotencyRetentionMs = RETENTION_MS }: { idempotencyRetentionMs?: number } = {}) {
    this.namespaces = new AllNamespaces({ retentionUs: idempotencyRetentionMs * 1000 });
    this.log = new InMemoryChangeLog(this.namespaces);
    this.subscriptions = new InMemorySubscriptions(this.namespaces);
  }

  get revision(): number {
    return this.namespaces.revision;
  }
  reached(): Promise<number> {
    return Promise.resolve(this.revision);
  }

  async write<K extends ChangeKind>(change: ChangeOf<K>): Promise<Outcome<K>> {
    const any = change as Change;
    const outcome = this.namespaces.once(namespaceOf(any), requestOf(any), () => this.run(any)) as Promise<Outcome<K>>;
    return outcome;
  }

  private run(change: Change): Outcome<ChangeKind> {
    switch (change.kind) {
      case 'store':
        return this.namespaces.whole(() => {
          const { namespace: name, createNamespace, atUs } = change;
          if (createNamespace && !this.namespaces.find(name)) {
            this.namespaces.add({ name, description: '', memoryLimit: 0, atUs });
          }
          return this.changed(name, change);
        });
      case 'postponeEmbedding':
        return this.postpone(change);
      case 'createNamespace':
        return this.create(change);
      case 'updateNamespace':
        return this.changed(change.name, change);
      case 'deleteNamespace':
        return this.remove(change);
      case 'setMaintained':
        this.namespaces.get(change.namespace);
        this.maintained.set(change.namespace, change.atUs);
        return undefined;
      case 'setTierSettings':
        if (change.namespace !== '') return this.changed(change.namespace, change);
        this.settings = changed(this.settings, change.settings);
        return undefined;
      default:
        return this.changed(change.namespace, change);
    }
  }

  private changed(name: string, change: Change<DraftKind>): Outcome<DraftKind> {
    return this.namespaces.change(name, (draft) => changeDraft(draft, change), change.atUs);
  }

  private postpone({ items, notBeforeUs }: PostponeWrite): undefined {
    for (const { namespace, id, attempts } of items) {
      if (!this.namespaces.find(namespace)) continue;
      this.namespaces.change(namespace, ({ entries }) => {
        const entry = entries.get(id);
        if (entry) entries.set(id, { ...entry, attempts: attempts + 1, notBeforeUs });
      });
    }
  }

  private create(write: NamespaceWrite): NamespaceOutcome {
    const name = `namespaces/${write.name}`;
    if (this.namespaces.find(write.name)) {
      throw new MnemeError('NAMESPACE_EXISTS', `${name} already exists`, { metadata: { name } });
    }
    const { namespace } = this.namespaces.add(write);
    return { revision: namespace.revision, namespace };
  }

  private remove(write: NamespaceDeletion): DeleteOutcome {
    const tiers = countByTier(this.present(write.name, write.atUs));
    const memories = tiers.reduce((sum, [, count]) => sum + count, 0);
    const name = `namespaces/${write.name}`;
    if (memories > 0 && !write.force) {
      const metadata = { name, memories: String(memories) };
      throw new MnemeError('NAMESPACE_NOT_EMPTY', `${name} still holds ${memories} memories`, { metadata });
    }
    this.namespaces.remove(write.name, write.atUs);
    this.maintained.delete(write.name);
    return { revision: this.namespaces.revision, deletedIds: [], tiers };
  }

  async get({ namespace, ids, view, nowUs }: Asked<'get'>): Answer<'get'> {
    const { entries } = this.namespaces.get(namespace);
    return ids.map((id) => {
      const memory = entries.get(id)?.memory;
      return memory && !isExpired(memory, nowUs) ? inView(memory, view) : undefined;
    });
  }
  async list(read: Asked<'list'>): Answer<'list'> {
    return listPage(this.namespaces.get(read.namespace), read);
  }
  async count({ namespace, filter, nowUs }: Asked<'count'>): Answer<'count'> {
    return new Map(
      countByTier(this.present(namespace, nowUs).filter(({ memory }) => !filter || admits(filter, memory))),
    );
  }
  async revisions({ namespace, id, limit, beforeRevision, nowUs }: Asked<'revisions'>): Answer<'revisions'> {
    const entry = this.namespaces.get(namespace).entries.get(id);
    if (!entry || isExpired(entry.memory, nowUs)) throw memoryNotFound(namespace, id);
    const states: PastState[] = [{ memory: inView(entry.memory, 'basic'), change: entry.change }, ...entry.past];
    return states
      .filter(({ memory }) => memory.revision < (beforeRevision ?? Number.POSITIVE_INFINITY))
      .slice(0, limit);
  }
  async outcomeOf(namespace: string, idempotency: Idempotency): Promise<unknown> {
    return this.namespaces.outcomes.find(namespace, idempotency, 0)?.outcome;
  }

  async getNamespace(name: string): Answer<'getNamespace'> {
    return this.namespaces.get(name).namespace;
  }
  async listNamespaces({ limit, afterName = '' }: Asked<'listNamespaces'>): Answer<'listNamespaces'> {
    const namespaces = this.namespaces.all().map(({ namespace }) => namespace);
    return namespaces.filter(({ name }) => name > afterName).slice(0, limit);
  }
  async listScopes(read: Asked<'listScopes'>): Answer<'listScopes'> {
    return scopesOf(this.namespaces.get(read.namespace), read);
  }
  async members(read: Asked<'members'>): Answer<'members'> {
    return membersOf(this.namespaces.get(read.namespace), read);
  }
  async totals(namespace?: string): Answer<'totals'> {
    return this.namespaces.some(namespace).flatMap(totalsOf);
  }
  async size(namespace: string): Answer<'size'> {
    return sizeOf(this.namespaces.get(namespace));
  }
  async tierSettings(namespace: string): Answer<'tierSettings'> {
    if (namespace === '') return this.settings;
    return new Map(Object.entries(this.namespaces.find(namespace)?.namespace.settings ?? {}));
  }
  async maintainedAtUs(namespace: string): Answer<'maintainedAtUs'> {
    this.namespaces.get(namespace);
    return this.maintained.get(namespace);
  }
  async statistics(namespace?: string): Answer<'statistics'> {
    return statisticsOf(this.namespaces.some(namespace));
  }
  async pendingEmbeddings({ limit, nowUs }: Asked<'pendingEmbeddings'>): Answer<'pendingEmbeddings'> {
    return this.namespaces
      .all()
      .flatMap(({ entries }) => [...entries.values()])
      .filter(
        ({ memory, state, notBeforeUs }) => state === 'pending' && notBeforeUs <= nowUs && !isExpired(memory, nowUs),
      )
      .sort((a, b) => a.notBeforeUs - b.notBeforeUs || a.sequence - b.sequence)
      .slice(0, limit)
      .map(({ memory: { namespace, id, checksum, text }, attempts }) => ({ namespace, id, checksum, text, attempts }));
  }
  async expired({ limit, nowUs }: Asked<'expired'>): Answer<'expired'> {
    const gone = this.namespaces
      .all()
      .flatMap(({ entries }) => [...entries.values()].map(({ memory }) => memory))
      .filter((memory) => isExpired(memory, nowUs))
      .sort((a, b) => (a.expiresAtUs ?? 0) - (b.expiresAtUs ?? 0))
      .slice(0, limit);
    const byNamespace = Map.groupBy(gone, ({ namespace }) => namespace);
    return [...byNamespace].map(([namespace, memories]) => ({ namespace, ids: memories.map(({ id }) => id) }));
  }

  describe(): Answer<'describe'> {
    return [{ role: 'memories', technology: 'process memory', durability: 'nothing' }];
  }
  async close(): Promise<void> {
    this.namespaces.isClosed = true;
  }

  private present(namespace: string, nowUs: number): Entry[] {
    return [...this.namespaces.get(namespace).entries.values()].filter(({ memory }) => !isExpired(memory, nowUs));
  }
}
