import type { Idempotency } from '../../memory/call.ts';
import { embedLater, touchMemories } from '../in-memory/change-entries.ts';
import { isExpired } from '../in-memory/draft.ts';
import { inView } from '../in-memory/list-page.ts';
import { deleteMemories, storeMemories, updateMemory } from '../in-memory/write-memories.ts';
import type { Namespace } from '../memory-store.ts';
import type { HotStore } from '../mirror-store.ts';
import type { StoreStatistics } from '../store-statistics.ts';
import { keptOutcome } from './kept-outcome.ts';
import { mendIn } from './mend-entries.ts';
import { createNamespace, deleteNamespace, eraseLeftovers, fill, updateNamespace } from './namespaces.ts';
import { allNamespaces, expiredIn, namespacesOf, pendingIn, postponeIn, scopesOf } from './over-rooms.ts';
import { RedisRooms, type RoomsOptions } from './redis-rooms.ts';
import { deleteWithBelow, rewriteBelow } from './room-below.ts';
import { wholeOf } from './room-entry.ts';
import { countRoom, findIn, listRoom } from './room-listing.ts';
import { changesBelowOf, changesOf, fenceOf, idsOf } from './room-log.ts';
import { adoptInto, releaseOf, releaseUnchangedOf } from './room-moves.ts';
import { statisticsOf } from './statistics.ts';
import { RedisTiers } from './tiers.ts';
import type { WatchedDurability } from './watched-durability.ts';
import { copiesOf, statesOf } from './whole-copies.ts';

type Asked<K extends keyof HotStore> = HotStore[K] extends (...asked: infer A) => unknown ? A[0] : never;
type Answer<K extends keyof HotStore> = HotStore[K] extends (...asked: never[]) => infer A ? A : never;

/** Memories in Redis. Each namespace is a room, which writes change as a whole or not at all. */
export class RedisMemoryStore implements HotStore {
  readonly isShared = true;
  readonly tiers: RedisTiers;
  readonly rooms: RedisRooms;
  private readonly durability: Pick<WatchedDurability, 'current'> | undefined;

  constructor(options: RoomsOptions & { readonly durability?: Pick<WatchedDurability, 'current'> }) {
    this.durability = options.durability;
    this.rooms = new RedisRooms(options);
    this.tiers = new RedisTiers(this.rooms);
  }

  get revision(): number {
    return this.rooms.revision;
  }

  async store(write: Asked<'store'>): Answer<'store'> {
    const { namespace, createNamespace: creates, atUs, idempotency, memories } = write;
    if (creates) await this.rooms.register(namespace);
    return this.rooms.writer(namespace).submit({
      ids: memories.map(({ id }) => id),
      atUs,
      idempotency,
      isFresh: true,
      createsRoom: creates,
      run: (draft) => {
        if (!draft.isThere) fill(draft, { name: namespace, description: '', memoryLimit: 0, atUs });
        return storeMemories(draft, write);
      },
    });
  }

  update(write: Asked<'update'>): Answer<'update'> {
    const { namespace, id, atUs, idempotency, dropsFormer: frees = false, successor } = write;
    const ids = successor ? [id, successor.id] : [id];
    const run = (draft: Parameters<typeof updateMemory>[0]) => updateMemory(draft, write);
    return this.rooms.writer(namespace).submit({ ids, atUs, idempotency, frees, run });
  }

  delete(write: Asked<'delete'>): Answer<'delete'> {
    const { namespace, ids, atUs, idempotency, outcomeToKeep: toKeep } = write;
    const run = (draft: Parameters<typeof deleteMemories>[0]) => deleteMemories(draft, write);
    return this.rooms.writer(namespace).submit({ ids, atUs, idempotency, toKeep, frees: true, run });
  }

  rewrite(write: Parameters<HotStore['rewrite']>[0]): ReturnType<HotStore['rewrite']> {
    return rewriteBelow(this.rooms.writer(write.namespace), write);
  }
  deleteWith(write: Parameters<HotStore['deleteWith']>[0]): ReturnType<HotStore['deleteWith']> {
    return deleteWithBelow(this.rooms.writer(write.namespace), write);
  }

  touch({ namespace, ids, atUs }: Asked<'touch'>): Answer<'touch'> {
    return this.rooms.writer(namespace).submit({ ids, atUs, run: (draft) => touchMemories(draft, ids, atUs) });
  }

  setEmbeddings({ namespace, vectors }: Asked<'setEmbeddings'>): Answer<'setEmbeddings'> {
    const ids = vectors.map(({ id }) => id);
    return this.rooms.writer(namespace).submit({ ids, atUs: 0, run: (draft) => embedLater(draft, vectors) });
  }

  postponeEmbedding(write: Asked<'postponeEmbedding'>): Answer<'postponeEmbedding'> {
    return postponeIn(this.rooms, write);
  }

  async createNamespace(write: Asked<'createNamespace'>): Answer<'createNamespace'> {
    await eraseLeftovers(this.rooms, write.name);
    return createNamespace(this.rooms, write);
  }

  updateNamespace(write: Asked<'updateNamespace'>): Answer<'updateNamespace'> {
    return updateNamespace(this.rooms, write);
  }

  async deleteNamespace(write: Asked<'deleteNamespace'>): Answer<'deleteNamespace'> {
    const kept = write.idempotency && (await this.outcomeOf(write.name, write.idempotency));
    if (kept) return kept as Awaited<Answer<'deleteNamespace'>>;
    const counts = await this.count({ namespace: write.name, nowUs: write.atUs });
    return deleteNamespace(this.rooms, write, counts);
  }

  async get({ namespace, ids, view, nowUs }: Asked<'get'>): Answer<'get'> {
    const { entries } = await this.rooms.reader(namespace).loadThere(ids, view);
    return ids.map((id) => {
      const memory = wholeOf(entries.get(id), view);
      return memory && !isExpired(memory, nowUs) ? inView(memory, view) : undefined;
    });
  }
  list(read: Asked<'list'>): Answer<'list'> {
    return listRoom(this.rooms.reader(read.namespace), read);
  }
  count({ namespace, filter, nowUs }: Asked<'count'>): Answer<'count'> {
    return countRoom(this.rooms.reader(namespace), filter, nowUs);
  }
  revisions(read: Asked<'revisions'>): Answer<'revisions'> {
    return statesOf(this.rooms.reader(read.namespace), read);
  }
  async outcomeOf(namespace: string, idempotency: Idempotency): Promise<unknown> {
    const { kept } = await this.rooms.reader(namespace).load([], [idempotency.requestId]);
    return keptOutcome(kept.get(idempotency.requestId), idempotency, 0)?.outcome;
  }

  async getNamespace(name: string): Promise<Namespace> {
    return (await this.rooms.reader(name).loadThere([], 'metadata')).namespace;
  }
  listNamespaces(read: Asked<'listNamespaces'>): Answer<'listNamespaces'> {
    return namespacesOf(this.rooms, read);
  }
  async listScopes(read: Asked<'listScopes'>): Answer<'listScopes'> {
    return scopesOf(await this.tiers.sums(read.namespace), read);
  }
  async statistics(namespace?: string): Promise<StoreStatistics> {
    const names = namespace === undefined ? await allNamespaces(this.rooms) : [namespace];
    return statisticsOf(await Promise.all(names.map((name) => this.tiers.sums(name))));
  }
  pendingEmbeddings(read: Asked<'pendingEmbeddings'>): Answer<'pendingEmbeddings'> {
    return pendingIn(this.rooms, read);
  }
  expired(read: Asked<'expired'>): Answer<'expired'> {
    return expiredIn(this.rooms, read);
  }

  get isAvailable(): boolean {
    return this.rooms.connection.isAvailable;
  }
  find({ namespace, ids, view }: Parameters<HotStore['find']>[0]): ReturnType<HotStore['find']> {
    return findIn(this.rooms.reader(namespace), ids, view);
  }
  changes({ namespace, since }: Parameters<HotStore['changes']>[0]): ReturnType<HotStore['changes']> {
    return changesOf(this.rooms.reader(namespace), since);
  }
  changesBelow(read: Parameters<HotStore['changesBelow']>[0]): ReturnType<HotStore['changesBelow']> {
    return changesBelowOf(this.rooms.reader(read.namespace), read.since, read.untilRevision);
  }
  release({ namespace, copies }: Parameters<HotStore['release']>[0]): ReturnType<HotStore['release']> {
    return releaseOf(this.rooms.writer(namespace), copies);
  }
  mend({ namespace, copies }: Parameters<HotStore['mend']>[0]): ReturnType<HotStore['mend']> {
    return mendIn(this.rooms.writer(namespace), copies);
  }
  releaseUnchanged({ namespace, memories }: Asked<'releaseUnchanged'>): Answer<'releaseUnchanged'> {
    return releaseUnchangedOf(this.rooms.writer(namespace), memories);
  }
  hasOnlyMoved({ namespace, after, through }: Asked<'hasOnlyMoved'>): boolean {
    return this.rooms.writer(namespace).moves.has(after, through);
  }
  async adopt(write: Parameters<HotStore['adopt']>[0]): ReturnType<HotStore['adopt']> {
    await this.rooms.register(write.namespace);
    return adoptInto(this.rooms.writer(write.namespace), write);
  }
  allIds(namespace: string): AsyncIterable<string> {
    return idsOf(this.rooms.reader(namespace));
  }
  recovered(namespace: string): void {
    this.rooms.writer(namespace).moves.forget();
    this.rooms.reader(namespace).recovered();
  }
  fence(namespace: string): Promise<void> {
    return fenceOf(this.rooms.writer(namespace));
  }
  copies({ namespace, ids }: Parameters<HotStore['copies']>[0]): ReturnType<HotStore['copies']> {
    return copiesOf(this.rooms.reader(namespace), ids);
  }
  describe(): { role: string; technology: string; durability: string }[] {
    const { technology = 'redis', durability = 'as Redis is set up' } = this.durability?.current ?? {};
    return [{ role: 'hot memories', technology, durability }];
  }
  close(): Promise<void> {
    return this.rooms.connection.close();
  }
}
