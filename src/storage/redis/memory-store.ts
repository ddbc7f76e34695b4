import type { Idempotency } from '../../memory/call.ts';
import type { Memory, MemoryView } from '../../memory/memory.ts';
import { idsOfStore } from '../changed-memory.ts';
import type { MirroredMemory } from '../hot-log.ts';
import type { Found, HotStore } from '../mirror-store.ts';
import { inView } from '../rules/draft.ts';
import { keptOutcome } from '../rules/kept-outcome.ts';
import { deleteMemories, embedLater, storeMemories, touchMemories, updateMemory } from '../rules/write-memories.ts';
import type { WatchedDurability } from './durability.ts';
import type { KeyspaceEntry } from './keyspace-entry.ts';
import { changesOf, fenceOf, idsOf } from './keyspace-log.ts';
import { adoptInto, moveTiers, releaseOf, releaseUnchangedOf } from './keyspace-moves.ts';
import type { KeyspaceReader } from './keyspace-reader.ts';
import { type KeyspaceDraft, ownershipOf } from './keyspace-state.ts';
import type { KeyspaceWriter } from './keyspace-writer.ts';
import { deleteNamespace, fill, withoutLeftovers } from './namespaces.ts';
import { type KeyspacesOptions, RedisKeyspaces } from './redis-keyspaces.ts';
import { copiesOf, entryOfCopy } from './whole-copies.ts';

type Asked<K extends keyof HotStore> = HotStore[K] extends (...asked: infer A) => unknown ? A[0] : never;
type Answer<K extends keyof HotStore> = HotStore[K] extends (...asked: never[]) => infer A ? A : never;

/**
 * Memories of the upper tiers in Redis. Each namespace is a keyspace, which writes change atomically. Redis holds the
 * memories by id and their change log, without search indexes.
 */
export class RedisMemoryStore implements HotStore {
  readonly isShared = true;
  readonly keyspaces: RedisKeyspaces;
  private readonly durability: Pick<WatchedDurability, 'current'> | undefined;

  constructor(options: KeyspacesOptions & { readonly durability?: Pick<WatchedDurability, 'current'> }) {
    this.durability = options.durability;
    this.keyspaces = new RedisKeyspaces(options);
  }

  get revision(): number {
    return this.keyspaces.revision;
  }
  get isAvailable(): boolean {
    return this.keyspaces.connection.isAvailable;
  }

  store(write: Asked<'store'>): Answer<'store'> {
    const { namespace, createNamespace: creates, atUs, idempotency, expectedRevisions, erasedIds } = write;
    return withoutLeftovers(this.keyspaces, namespace, () =>
      this.keyspaces.writer(namespace).submit({
        ids: idsOfStore(write),
        atUs,
        idempotency,
        isFresh: expectedRevisions === undefined && erasedIds === undefined,
        createsKeyspace: creates,
        run: (draft) => {
          draft.checkOwner(write);
          if (!draft.isThere) fill(draft, { name: namespace, description: '', memoryLimit: 0, atUs });
          return storeMemories(draft, write);
        },
      }),
    );
  }

  update(write: Asked<'update'>): Answer<'update'> {
    const { namespace, id, atUs, idempotency, dropsFormer: frees = false, successor } = write;
    const ids = successor ? [id, successor.id] : [id];
    const run = (draft: Parameters<typeof updateMemory>[0]) => updateMemory(draft, write);
    return this.keyspaces.writer(namespace).submit({ ids, atUs, idempotency, frees, run });
  }

  delete(write: Asked<'delete'>): Answer<'delete'> {
    const { namespace, ids, atUs, idempotency, outcomeToKeep: toKeep } = write;
    const run = (draft: KeyspaceDraft) => {
      draft.checkOwner(write);
      return deleteMemories(draft, write);
    };
    return this.keyspaces.writer(namespace).submit({ ids, atUs, idempotency, toKeep, frees: true, run });
  }

  move(write: Asked<'move'>): Answer<'move'> {
    return moveTiers(this.keyspaces.writer(write.namespace), write);
  }

  touch(write: Asked<'touch'>): Answer<'touch'> {
    const { namespace, ids, atUs } = write;
    const run = (draft: KeyspaceDraft) => {
      draft.checkOwner(write);
      return touchMemories(draft, ids, atUs);
    };
    return this.keyspaces.writer(namespace).submit({ ids, atUs, run });
  }

  setEmbeddings({ namespace, vectors }: Asked<'setEmbeddings'>): Answer<'setEmbeddings'> {
    const ids = vectors.map(({ id }) => id);
    return this.keyspaces.writer(namespace).submit({ ids, atUs: 0, run: (draft) => embedLater(draft, vectors) });
  }

  deleteNamespace(write: Asked<'deleteNamespace'>): Answer<'deleteNamespace'> {
    return deleteNamespace(this.keyspaces, write);
  }

  async outcomeOf(namespace: string, idempotency: Idempotency): Promise<unknown> {
    const { kept } = await this.keyspaces.reader(namespace).load([], [idempotency.requestId]);
    return keptOutcome(kept.get(idempotency.requestId), idempotency, 0)?.outcome;
  }

  find({ namespace, ids, view }: Asked<'find'>): Answer<'find'> {
    return findIn(this.keyspaces.reader(namespace), ids, view);
  }
  copies({ namespace, ids }: Asked<'copies'>): Answer<'copies'> {
    return copiesOf(this.keyspaces.reader(namespace), ids);
  }
  allIds(namespace: string): AsyncIterable<string> {
    return idsOf(this.keyspaces.reader(namespace));
  }
  changes({ namespace, since }: Asked<'changes'>): Answer<'changes'> {
    return changesOf(this.keyspaces.reader(namespace), since);
  }

  release({ namespace, copies }: Asked<'release'>): Answer<'release'> {
    return releaseOf(this.keyspaces.writer(namespace), copies);
  }
  releaseUnchanged({ namespace, memories }: Asked<'releaseUnchanged'>): Answer<'releaseUnchanged'> {
    return releaseUnchangedOf(this.keyspaces.writer(namespace), memories);
  }
  hasOnlyMoved({ namespace, after, through }: Asked<'hasOnlyMoved'>): boolean {
    return this.keyspaces.writer(namespace).moves.has(after, through);
  }
  seenOwnership(namespace: string): string | undefined {
    return this.keyspaces.reader(namespace).ownership;
  }
  adopt(write: Asked<'adopt'>): Answer<'adopt'> {
    return withoutLeftovers(this.keyspaces, write.namespace, () =>
      adoptInto(this.keyspaces.writer(write.namespace), write),
    );
  }

  repair({ namespace, copies }: Asked<'repair'>): Answer<'repair'> {
    return repairIn(this.keyspaces.writer(namespace), copies);
  }
  recovered(namespace: string): void {
    this.keyspaces.writer(namespace).moves.forget();
    this.keyspaces.reader(namespace).recovered();
  }
  fence(namespace: string): Promise<void> {
    return fenceOf(this.keyspaces.writer(namespace));
  }

  describe(): { role: string; technology: string; durability: string }[] {
    const { technology = 'redis', durability = 'as Redis is set up' } = this.durability?.current ?? {};
    return [{ role: 'hot memories', technology, durability }];
  }
  close(): Promise<void> {
    return this.keyspaces.connection.close();
  }
}

/** The ids of existing memories, expired or not. */
async function findIn(reader: KeyspaceReader, ids: readonly string[], view: MemoryView): Promise<Found> {
  const { state, entries } = await reader.find(ids, view);
  const memories = new Map<string, Memory>();
  const damagedIds: string[] = [];
  const lostIds: string[] = [];
  for (const id of ids) {
    const entry = entries.get(id);
    if (!entry) continue;
    if (entry.isDamaged) damagedIds.push(id);
    if (entry.isUnreadable) lostIds.push(id);
    if (!entry.isDamaged || view === 'metadata') memories.set(id, inView(entry.memory, view));
  }
  const { namespace, revision } = state;
  return { memories, damagedIds, lostIds, isThere: namespace !== undefined, revision, ownership: ownershipOf(state) };
}

/** Restores the bytes of damaged memories from copies of the same state. */
function repairIn(writer: KeyspaceWriter, copies: readonly MirroredMemory[]): Promise<readonly string[]> {
  return writer.submit({
    ids: copies.map(({ memory }) => memory.id),
    atUs: 0,
    isRecovery: true,
    run: (draft) =>
      copies.flatMap((copy) => {
        const { id } = copy.memory;
        const entry = draft.entries.get(id);
        const repaired = entry && repairedBy(copy, entry);
        if (repaired) draft.entries.set(id, repaired);
        return repaired ? [id] : [];
      }),
  });
}

function repairedBy(copy: MirroredMemory, entry: KeyspaceEntry): KeyspaceEntry | undefined {
  // For an unreadable memory, `ids` has the revision.
  const isSameState = copy.memory.revision === entry.memory.revision;
  if (copy.isDamaged || !entry.isDamaged || !isSameState) return undefined;
  // Former states have strings of their own and are unchanged.
  const whole = { ...entryOfCopy(copy, entry.sequence), past: [] };
  if (entry.isUnreadable) return whole;
  const { text, content, embedding, checksum } = copy.memory;
  if (checksum !== entry.memory.checksum) return undefined;
  const memory = { ...entry.memory, text, ...(content && { content }), ...(embedding && { embedding }) };
  const { tierSinceUs, change, resolution } = entry;
  return { ...whole, memory, tierSinceUs, change, ...(resolution && { resolution }) };
}
