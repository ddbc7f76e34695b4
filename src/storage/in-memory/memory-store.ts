import type { Idempotency } from '../../memory/call.ts';
import { MnemeError, memoryNotFound } from '../../memory/errors.ts';
import { admits } from '../../memory/evaluate-filter.ts';
import { changedNamespace } from '../changed-memory.ts';
import type { MemoryStore, NamespaceOutcome, NamespaceUpdate, PastState } from '../memory-store.ts';
import { type Draft, type Entry, inView } from '../rules/draft.ts';
import { isExpired } from '../rules/memory-rules.ts';
import { deleteMemories, embedLater, storeMemories, touchMemories, updateMemory } from '../rules/write-memories.ts';
import { AllNamespaces } from './all-namespaces.ts';
import { InMemoryChangeLog } from './change-log.ts';
import { listPage } from './list-page.ts';
import { countByTier, scopesOf, statisticsOf } from './projection.ts';
import { InMemorySubscriptions } from './subscriptions.ts';
import { InMemoryTiers } from './tiers.ts';

type Asked<K extends keyof MemoryStore> = MemoryStore[K] extends (...asked: infer A) => unknown ? A[0] : never;
type Answer<K extends keyof MemoryStore> = MemoryStore[K] extends (...asked: never[]) => infer A ? A : never;

const RETENTION_MS = 24 * 60 * 60 * 1000;

/** Keeps memories in the process only: for tests, as the reference for the durable stores. */
export class InMemoryMemoryStore implements MemoryStore {
  readonly isShared = false;
  readonly tiers: InMemoryTiers;
  /** The change log of the store. */
  readonly log: InMemoryChangeLog;
  /** Durable subscriptions to the change log, which last as long as the process. */
  readonly subscriptions: InMemorySubscriptions;
  private readonly namespaces: AllNamespaces;

  constructor({ idempotencyRetentionMs = RETENTION_MS }: { idempotencyRetentionMs?: number } = {}) {
    this.namespaces = new AllNamespaces({ retentionUs: idempotencyRetentionMs * 1000 });
    this.tiers = new InMemoryTiers(this.namespaces);
    this.log = new InMemoryChangeLog(this.namespaces);
    this.subscriptions = new InMemorySubscriptions(this.namespaces);
  }

  get revision(): number {
    return this.namespaces.revision;
  }
  reached(): Promise<number> {
    return Promise.resolve(this.revision);
  }

  async store(write: Asked<'store'>): Answer<'store'> {
    const { namespace, createNamespace, atUs } = write;
    return this.namespaces.once(namespace, write, undefined, () =>
      this.namespaces.whole(() => {
        if (createNamespace && !this.namespaces.find(namespace)) {
          this.namespaces.add({ name: namespace, description: '', memoryLimit: 0, atUs });
        }
        return this.namespaces.change(namespace, (draft) => storeMemories(draft, write), atUs);
      }),
    );
  }
  async update(write: Asked<'update'>): Answer<'update'> {
    const { namespace } = write;
    return this.namespaces.once(namespace, write, undefined, () =>
      this.namespaces.change(namespace, (draft) => updateMemory(draft, write), write.atUs),
    );
  }
  async delete(write: Asked<'delete'>): Answer<'delete'> {
    const { namespace, outcomeToKeep } = write;
    return this.namespaces.once(namespace, write, outcomeToKeep, () =>
      this.namespaces.change(namespace, (draft) => deleteMemories(draft, write), write.atUs),
    );
  }
  async touch(write: Asked<'touch'>): Answer<'touch'> {
    return this.namespaces.once(write.namespace, write, undefined, () =>
      this.namespaces.change(write.namespace, (draft) => touchMemories(draft, write.ids, write.atUs), write.atUs),
    );
  }
  async setEmbeddings({ namespace, vectors }: Asked<'setEmbeddings'>): Answer<'setEmbeddings'> {
    return this.namespaces.once(namespace, { atUs: 0 }, undefined, () =>
      this.namespaces.change(namespace, (draft) => embedLater(draft, vectors)),
    );
  }
  async postponeEmbedding({ items, notBeforeUs }: Asked<'postponeEmbedding'>): Answer<'postponeEmbedding'> {
    for (const { namespace, id, attempts } of items) {
      if (!this.namespaces.find(namespace)) continue;
      this.namespaces.change(namespace, ({ entries }) => {
        const entry = entries.get(id);
        if (entry) entries.set(id, { ...entry, attempts: attempts + 1, notBeforeUs });
      });
    }
  }

  async createNamespace(write: Asked<'createNamespace'>): Answer<'createNamespace'> {
    return this.namespaces.once(write.name, write, undefined, () => {
      const name = `namespaces/${write.name}`;
      if (this.namespaces.find(write.name)) {
        throw new MnemeError('NAMESPACE_EXISTS', `${name} already exists`, { metadata: { name } });
      }
      const { namespace } = this.namespaces.add(write);
      return { revision: namespace.revision, namespace };
    });
  }
  async updateNamespace(write: Asked<'updateNamespace'>): Answer<'updateNamespace'> {
    const { name } = write;
    return this.namespaces.once(name, write, undefined, () =>
      this.namespaces.change(name, (draft) => changeNamespace(draft, write), write.atUs),
    );
  }
  async deleteNamespace(write: Asked<'deleteNamespace'>): Answer<'deleteNamespace'> {
    return this.namespaces.once(write.name, write, undefined, () => {
      const tiers = countByTier(this.present(write.name, write.atUs));
      const memories = tiers.reduce((sum, [, count]) => sum + count, 0);
      const name = `namespaces/${write.name}`;
      if (memories > 0 && !write.force) {
        const metadata = { name, memories: String(memories) };
        throw new MnemeError('NAMESPACE_NOT_EMPTY', `${name} still holds ${memories} memories`, { metadata });
      }
      this.namespaces.remove(write.name, write.atUs);
      this.tiers.forget(write.name);
      return { revision: this.namespaces.revision, deletedIds: [], tiers };
    });
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
  async statistics(namespace?: string): Answer<'statistics'> {
    return statisticsOf(namespace === undefined ? this.namespaces.all() : [this.namespaces.get(namespace)]);
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

  describe(): { role: string; technology: string; durability: string }[] {
    return [{ role: 'memories', technology: 'process memory', durability: 'nothing' }];
  }
  async close(): Promise<void> {
    this.namespaces.isClosed = true;
  }

  private present(namespace: string, nowUs: number): Entry[] {
    return [...this.namespaces.get(namespace).entries.values()].filter(({ memory }) => !isExpired(memory, nowUs));
  }
}

/** Changes the fields of an update; other fields stay. Fails with VERSION_MISMATCH. */
function changeNamespace(draft: Draft, write: NamespaceUpdate): NamespaceOutcome {
  draft.namespace = { ...changedNamespace(draft.namespace, write), revision: draft.revision + 1 };
  draft.revision++;
  return { revision: draft.revision, namespace: draft.namespace };
}
