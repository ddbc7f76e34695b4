import { MnemeError } from '../../memory/errors.ts';
import type { Micros, Scope, Tier } from '../../memory/memory.ts';
import { compareTexts } from '../../memory/values.ts';
import { changedNamespace, newNamespace } from '../changed-memory.ts';
import { type Entry, isExpired } from '../in-memory/draft.ts';
import type {
  DeleteOutcome,
  MemoryStore,
  Namespace,
  NamespaceOutcome,
  NamespaceUpdate,
  NamespaceWrite,
  PendingEmbedding,
} from '../memory-store.ts';
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

/** Namespaces by name; a name whose room is gone is passed over. */
export async function namespacesOf(
  rooms: RedisRooms,
  { limit, afterName = '' }: { limit: number; afterName?: string },
): Promise<Namespace[]> {
  const namespaces: Namespace[] = [];
  for (let after = afterName; namespaces.length < limit; ) {
    const names = await rooms.names(after, limit);
    for (const name of names) {
      const { namespace } = (await rooms.reader(name).load([])).state;
      if (namespace && namespaces.length < limit) namespaces.push(namespace);
    }
    if (names.length < limit) break;
    after = names.at(-1) ?? '';
  }
  return namespaces;
}

export async function allNamespaces(rooms: RedisRooms): Promise<string[]> {
  const names: string[] = [];
  for await (const name of rooms.allNames()) {
    if ((await rooms.reader(name).load([])).state.namespace) names.push(name);
  }
  return names;
}

/** Scopes from the sums of a room, in order of their parts. */
export function scopesOf(
  sums: ReadonlyMap<string, number>,
  { limit, after }: { limit: number; after?: Scope },
): { scope: Scope; count: number }[] {
  const scopes = [...sums].flatMap(([name, count]) =>
    name.startsWith('scope ') && count > 0 ? [{ scope: JSON.parse(name.slice('scope '.length)) as Scope, count }] : [],
  );
  return scopes
    .filter(({ scope }) => !after || compareScopes(scope, after) > 0)
    .sort((one, other) => compareScopes(one.scope, other.scope))
    .slice(0, limit);
}

const SCOPE_PARTS = ['project', 'agentType', 'agent', 'session'] as const;

function compareScopes(one: Scope, other: Scope): number {
  for (const part of SCOPE_PARTS) {
    const difference = compareTexts(one[part], other[part]);
    if (difference !== 0) return difference;
  }
  return 0;
}

interface Due {
  readonly limit: number;
  readonly nowUs: Micros;
}

export async function pendingIn(rooms: RedisRooms, { limit, nowUs }: Due): Promise<PendingEmbedding[]> {
  const due = (await lowestOf(rooms, 'o:pending', limit, nowUs)).filter(({ memory }) => !isExpired(memory, nowUs));
  return due.map(({ memory: { namespace, id, checksum, text }, attempts }) => ({
    namespace,
    id,
    checksum,
    text,
    attempts,
  }));
}

export async function postponeIn(
  rooms: RedisRooms,
  { items, notBeforeUs }: Parameters<MemoryStore['postponeEmbedding']>[0],
): Promise<void> {
  const byNamespace = Map.groupBy(items, ({ namespace }) => namespace);
  const postponed = [...byNamespace].map(([namespace, some]) =>
    rooms.writer(namespace).submit({
      ids: some.map(({ id }) => id),
      atUs: 0,
      createsRoom: true,
      run: ({ entries }) => {
        for (const { id, attempts } of some) {
          const entry = entries.get(id);
          if (entry && !entry.isDamaged) entries.set(id, { ...entry, attempts: attempts + 1, notBeforeUs });
        }
      },
    }),
  );
  await Promise.all(postponed);
}

export async function expiredIn(
  rooms: RedisRooms,
  { limit, nowUs }: Due,
): Promise<{ namespace: string; ids: string[] }[]> {
  const gone = await lowestOf(rooms, 'o:expires', limit, nowUs);
  const byNamespace = Map.groupBy(gone, ({ memory }) => memory.namespace);
  return [...byNamespace].map(([namespace, entries]) => ({ namespace, ids: entries.map(({ memory }) => memory.id) }));
}

/** The lowest of an index over all rooms, up to a score. */
async function lowestOf(rooms: RedisRooms, index: string, limit: number, until: number): Promise<Entry[]> {
  const found: { readonly entry: Entry; readonly score: number }[] = [];
  for (const name of await allNamespaces(rooms)) {
    const reader = rooms.reader(name);
    const first = await firstMembers(reader, index, until, limit);
    const members = first.map(({ member }) => member);
    const entries = await entriesOf(reader, members, 'basic');
    const bySequence = new Map([...entries.values()].map((entry) => [entry.sequence, entry]));
    for (const { sequence, score } of first) {
      const entry = bySequence.get(sequence);
      if (entry) found.push({ entry, score });
    }
  }
  found.sort((one, other) => one.score - other.score || one.entry.sequence - other.entry.sequence);
  return found.slice(0, limit).map(({ entry }) => entry);
}
