import type { Idempotency } from '../../memory/call.ts';
import { TIERS, type Tier } from '../../memory/memory.ts';
import type { MirroredMemory } from '../hot-log.ts';
import { embedLater, touchMemories } from '../in-memory/change-entries.ts';
import { isExpired } from '../in-memory/draft.ts';
import { inView } from '../in-memory/list-page.ts';
import { deleteMemories, storeMemories, updateMemory } from '../in-memory/write-memories.ts';
import type { Namespace, StoreStatistics } from '../memory-store.ts';
import type { HotStore } from '../mirror-store.ts';
import { keptOutcome } from './command-batch.ts';
import type { WatchedDurability } from './durability.ts';
import {
  allNamespaces,
  createNamespace,
  deleteNamespace,
  eraseLeftovers,
  expiredIn,
  fill,
  namespacesOf,
  pendingIn,
  postponeIn,
  scopesOf,
  updateNamespace,
} from './namespaces.ts';
import { RedisRooms, type RoomsOptions } from './redis-rooms.ts';
import { type RoomEntry, wholeOf } from './room-entry.ts';
import { countRoom, findIn, listRoom } from './room-listing.ts';
import { changesBelowOf, changesOf, fenceOf, idsOf } from './room-log.ts';
import { adoptInto, deleteWithBelow, releaseOf, releaseUnchangedOf, rewriteBelow } from './room-moves.ts';
import type { RoomWriter } from './room-writer.ts';
import { RedisTiers } from './tiers.ts';
import { copiesOf, entryOfCopy, statesOf } from './whole-copies.ts';

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

/** Gives damaged memories the bytes of copies that were made of the very state that is damaged. */
function mendIn(writer: RoomWriter, copies: readonly MirroredMemory[]): Promise<readonly string[]> {
  return writer.submit({
    ids: copies.map(({ memory }) => memory.id),
    atUs: 0,
    isRecovery: true,
    run: (draft) =>
      copies.flatMap((copy) => {
        const { id } = copy.memory;
        const entry = draft.entries.get(id);
        const mended = entry && mendedBy(copy, entry);
        if (mended) draft.entries.set(id, mended);
        return mended ? [id] : [];
      }),
  });
}

function mendedBy(copy: MirroredMemory, entry: RoomEntry): RoomEntry | undefined {
  // Of one of which nothing can be read its card knows the revision.
  const isSameState = copy.memory.revision === entry.memory.revision;
  if (copy.isDamaged || !entry.isDamaged || !isSameState) return undefined;
  // Former states are kept elsewhere, and have stayed.
  const whole = { ...entryOfCopy(copy, entry.sequence), past: [] };
  if (entry.isUnreadable) return whole;
  const { text, content, embedding, checksum } = copy.memory;
  if (checksum !== entry.memory.checksum) return undefined;
  const memory = { ...entry.memory, text, ...(content && { content }), ...(embedding && { embedding }) };
  const { tierSinceUs, change, resolution } = entry;
  return { ...whole, memory, tierSinceUs, change, ...(resolution && { resolution }) };
}

const TYPES_MAX = 100;

/** Statistics from the sums of rooms. */
function statisticsOf(rooms: readonly ReadonlyMap<string, number>[]): StoreStatistics {
  const sumOf = (name: string) => rooms.reduce((sum, room) => sum + (room.get(name) ?? 0), 0);
  const types = new Map<string, number>();
  const tiers = new Map<Tier, { count: number; contentBytes: number }>();
  for (const [name, value] of rooms.flatMap((room) => [...room])) {
    const [what, total] = [name.slice(0, 'count'.length), name.slice('count '.length)];
    if ((what !== 'count' && what !== 'bytes') || value === 0) continue;
    const [tier, , type] = JSON.parse(total) as [Tier, string, string];
    const sums = tiers.get(tier) ?? { count: 0, contentBytes: 0 };
    if (what === 'count') types.set(type, (types.get(type) ?? 0) + value);
    tiers.set(tier, {
      count: sums.count + (what === 'count' ? value : 0),
      contentBytes: sums.contentBytes + (what === 'bytes' ? value : 0),
    });
  }
  const counted = TIERS.flatMap((tier) => {
    const sums = tiers.get(tier);
    return sums && sums.count > 0 ? [{ tier, ...sums }] : [];
  });
  const memoryCount = counted.reduce((sum, { count }) => sum + count, 0);
  return {
    namespaceCount: rooms.length,
    memoryCount,
    contentBytes: counted.reduce((sum, { contentBytes }) => sum + contentBytes, 0),
    embeddedCount: sumOf('embedded'),
    embeddingPendingCount: sumOf('pending'),
    importanceMean: memoryCount === 0 ? 0 : sumOf('importance') / 1e6 / memoryCount,
    retrievalCount: sumOf('retrievals'),
    types: [...types]
      .map(([type, count]) => ({ type, count }))
      .sort((a, b) => b.count - a.count || (a.type < b.type ? -1 : 1))
      .slice(0, TYPES_MAX),
    tiers: counted,
    diskBytes: 0,
  };
}
