import { MnemeError } from '../../memory/errors.ts';
import type { Tier } from '../../memory/memory.ts';
import { changedNamespace, newNamespace } from '../changed-namespace.ts';
import type { DeleteOutcome, MemoryStore, NamespaceOutcome, NamespaceUpdate, NamespaceWrite } from '../memory-store.ts';
import type { RedisRooms } from './redis-rooms.ts';
import { entriesOf, firstMembers } from './room-listing.ts';
import type { RoomDraft } from './room-state.ts';
import type { RoomWriter } from './room-writer.ts';

const ERASED_AT_ONCE = 200;

export async function createNamespace(rooms: RedisRooms, write: NamespaceWrite): Promise<NamespaceOutcome> {
  await rooms.register(write.name);
  return rooms.writer(write.name).submit({
    ids: [],
    atUs: write.atUs,
    idempotency: write.idempotency,
    createsRoom: true,
    run: (draft) => {
      const name = `namespaces/${write.name}`;
      if (draft.isThere) throw new MnemeError('NAMESPACE_EXISTS', `${name} is there already`, { metadata: { name } });
      fill(draft, write);
      return { revision: draft.revision, namespace: draft.namespace };
    },
  });
}

/** Makes the namespace in the draft. */
export function fill(draft: RoomDraft, write: NamespaceWrite): void {
  draft.isThere = true;
  draft.namespace = newNamespace(write, ++draft.revision);
}

export function updateNamespace(rooms: RedisRooms, write: NamespaceUpdate): Promise<NamespaceOutcome> {
  return rooms.writer(write.name).submit({
    ids: [],
    atUs: write.atUs,
    idempotency: write.idempotency,
    run: (draft) => {
      draft.namespace = changedNamespace(draft.namespace, write, draft.revision + 1);
      draft.revision++;
      return { revision: draft.revision, namespace: draft.namespace };
    },
  });
}

type Deletion = Parameters<MemoryStore['deleteNamespace']>[0];

/** From the first step on nobody sees the namespace; what it held is erased in steps that block nobody for long. */
export async function deleteNamespace(
  rooms: RedisRooms,
  write: Deletion,
  counts: ReadonlyMap<Tier, number>,
): Promise<DeleteOutcome> {
  const name = `namespaces/${write.name}`;
  const memories = [...counts.values()].reduce((sum, count) => sum + count, 0);
  const outcome = await rooms.writer(write.name).submit({
    ids: [],
    atUs: write.atUs,
    idempotency: write.idempotency,
    frees: true,
    run: (draft): DeleteOutcome => {
      if (memories > 0 && !write.force) {
        const metadata = { name, memories: String(memories) };
        throw new MnemeError('NAMESPACE_NOT_EMPTY', `${name} still holds ${memories} memories`, { metadata });
      }
      draft.isThere = false;
      draft.deletion = write.force ? 'namespace_deleted' : 'namespace_emptied';
      draft.maintainedAtUs = undefined;
      draft.revision++;
      return { revision: draft.revision, deletedIds: [], tiers: [...counts] };
    },
  });
  await eraseLeftovers(rooms, write.name);
  await rooms.unregister(write.name);
  return outcome;
}

/** Erases what a deleted namespace has left, also when the server that deleted it has ended before it was done. */
export async function eraseLeftovers(rooms: RedisRooms, name: string): Promise<void> {
  const reader = rooms.reader(name);
  for (let hasStrays = false; ; ) {
    const found = await firstMembers(reader, 'o:created', Number.POSITIVE_INFINITY, ERASED_AT_ONCE);
    if (found.length === 0 && !hasStrays) return;
    const members = found.map(({ member }) => member);
    const entries = await entriesOf(reader, members, 'metadata');
    const known = new Set([...entries.values()].map(({ sequence }) => sequence));
    const strays = found.filter(({ sequence }) => !known.has(sequence)).map(({ member }) => member);
    await eraseSome(rooms.writer(name), [...entries.keys()], strays, found.length === 0);
    if ((await reader.load([])).state.namespace || found.length === 0) return;
    hasStrays ||= strays.length > 0;
  }
}

/** Nothing where the namespace is there again. */
function eraseSome(
  writer: RoomWriter,
  ids: readonly string[],
  strays: readonly string[],
  isLast: boolean,
): Promise<void> {
  return writer.submit({
    ids,
    atUs: 0,
    frees: true,
    createsRoom: true,
    run: (draft) => {
      if (draft.isThere) return;
      for (const id of ids) draft.entries.delete(id);
      draft.strays.push(...strays);
      draft.isEmptied = isLast;
    },
  });
}
