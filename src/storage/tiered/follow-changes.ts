import type { Clock } from '../../memory/clock.ts';
import { MnemeError } from '../../memory/errors.ts';
import { type EmbeddingState, embeddingStateOf } from '../embedding-state.ts';
import type { HotChanges, HotEntry, HotLoss, MirroredMemory, MirroredMove, MirrorPosition } from '../hot-log.ts';
import type { MemoryStore } from '../memory-store.ts';
import { type HotStore, loneKinds, type Mirror, type MirrorWrite, moveOf } from '../mirror-store.ts';
import { type Followed, type FollowOptions, noteCopied } from './followed.ts';

const ROUNDS_MAX = 20;

/** Copies the changes of a namespace since the last call, in steps, until there are no more. */
export async function followChanges(options: FollowOptions, namespace: string, state: Followed): Promise<void> {
  const { hot, mirror, clock } = options;
  if (!state.isRead) {
    state.position = await mirror.mirrorPosition(namespace);
    state.isRead = true;
  }
  const { detour, noted } = state;
  if (detour) await hot.fence(namespace);
  let isGapLogged = false;
  for (let rounds = 0; ; ) {
    const changes = await hot.changes({ namespace, ...(state.position && { since: state.position }) });
    const { epoch, position, entries, memories, moves, isGapped, hasMore } = changes;
    if (changes.loss === 'unfollowed') {
      await makeGood(options, namespace, changes.loss, state);
      continue;
    }
    if (state.position && (await eraseDeleted(options, namespace, changes))) {
      // A new keyspace is not followed yet, although its revisions may be lower.
      Object.assign(state, { position: undefined, revision: changes.isThere ? -1 : changes.revision });
      if (changes.isThere) continue;
      noteCopied(state, noted);
      return;
    }
    if (isGapped) await crossGap(options, namespace, changes, isGapLogged);
    if (changes.isDamaged) options.onLoss(namespace, 'damaged');
    if (changes.loss) await makeGood(options, namespace, changes.loss, state);
    const revision = Math.max(changes.revision, state.floor);
    const completeFrom = isGapped ? changes.revision : undefined;
    isGapLogged ||= isGapped;
    if (entries.length > 0 || position !== state.position?.position || state.floor > 0) {
      const write = { namespace, epoch, position, entries, memories, revision, atUs: clock.nowUs() };
      const whole = { ...write, ...(completeFrom !== undefined && { completeFrom }) };
      const mirrored = mirrorChanges(options, whole, moves);
      // Nothing to copy: callers need not wait until the position is stored.
      const isOnlyNoted = !isGapped && state.floor === 0 && memories.length === 0 && isAllReleased(entries);
      if (isOnlyNoted) mirrored.catch((error: unknown) => options.onFailure(namespace, error));
      const own = isOnlyNoted ? [] : await mirrored;
      if (own.length > 0) {
        if (rounds++ === ROUNDS_MAX)
          throw new MnemeError('OVERLOADED', 'memories change faster than they can be moved');
        await hot.release({ namespace, copies: own });
        continue;
      }
      state.floor = 0;
      state.position = { epoch, position };
      noteCopied(state, Math.min(noted, state.copied + entries.length));
    }
    if (!hasMore) {
      state.revision = changes.revision;
      noteCopied(state, noted);
      if (state.detour === detour) state.detour = undefined;
      return;
    }
  }
}

/**
 * Moved memories whose copies differ from the start of the move are copied as a whole. Returns the ids of memories that
 * the mirror owns.
 */
async function mirrorChanges(
  { hot, mirror }: FollowOptions,
  write: MirrorWrite,
  moves: HotChanges['moves'],
): Promise<readonly MirroredMemory[]> {
  const { namespace, entries } = write;
  const among = movesAmong(entries, write.memories);
  const { lackingIds, ownIds } = await mirror.mirror({ ...write, ...among, moves: [...among.moves, ...moves] });
  if (lackingIds.length === 0) return write.memories.filter(({ memory }) => ownIds.includes(memory.id));
  const moved = await hot.copies({ namespace, ids: moves.map(({ id }) => id) });
  const memories = [...write.memories, ...moved.filter(({ isDamaged }) => !isDamaged)];
  const outcome = await mirror.mirror({ ...write, memories });
  return memories.filter(({ memory }) => outcome.ownIds.includes(memory.id));
}

/** A memory that another store has taken over equals its copy. */
function isAllReleased(entries: readonly HotEntry[]): boolean {
  return entries.length > 0 && entries.every(({ kind }) => kind === 'released');
}

/** Acknowledged and copied data is not lost: the copies replace the remaining data of the hot store. */
async function makeGood(options: FollowOptions, namespace: string, loss: HotLoss, state: Followed): Promise<void> {
  // Revisions of the remaining data, and of later writes, are unrelated to the followed ones.
  state.revision = -1;
  if (loss === 'rolled_back') await salvage(options, namespace, state.position);
  options.hot.recovered(namespace);
  options.onLoss(namespace, loss);
}

/** Of the changed memories, those whose entries are moves only: they need no other data. */
function movesAmong(
  entries: readonly HotEntry[],
  memories: readonly MirroredMemory[],
): { readonly memories: MirroredMemory[]; readonly moves: MirroredMove[] } {
  const kinds = loneKinds(entries);
  const isMove = ({ memory, past }: MirroredMemory) => past.length === 0 && kinds.get(memory.id) === 'moved';
  return {
    memories: memories.filter((copy) => !isMove(copy)),
    moves: memories.filter(isMove).map((copy) => moveOf(copy, stateIn(copy))),
  };
}

function stateIn({ memory, embeddingPending }: MirroredMemory): EmbeddingState {
  return embeddingStateOf(memory.embedding, embeddingPending);
}

const AT_ONCE = 200;
/** An instant before any expiry. */
const ALWAYS = 0;

interface Stores {
  readonly hot: HotStore;
  readonly cold: MemoryStore;
  readonly mirror: Mirror;
  readonly clock: Clock;
}

/**
 * After the hot store went back to an older state, the cold store takes over everything, as its copies are newer. A
 * memory without a copy is taken from the hot store if it is newer than the copies or was written after the loss; an
 * older one was deleted.
 */
async function salvage(
  { hot, cold, mirror, clock }: Stores,
  namespace: string,
  followed: MirrorPosition | undefined,
): Promise<void> {
  const { epoch, position } = followed ?? { epoch: '', position: '0-0' };
  const revision = Number.parseInt(position, 10);
  for (;;) {
    const ids = await first(hot.allIds(namespace), AT_ONCE);
    if (ids.length === 0) return;
    const copies = await hot.copies({ namespace, ids });
    const known = await cold.get({
      namespace,
      ids: copies.map(({ memory }) => memory.id),
      view: 'metadata',
      nowUs: ALWAYS,
    });
    const deleted = new Set(await deletedAmong(mirror, namespace, copies, known));
    const memories = copies.filter(({ memory, isDamaged }: MirroredMemory, at) => {
      if (isDamaged) return false;
      const copied = known[at];
      return copied ? memory.revision > copied.revision : memory.revision > revision || !deleted.has(memory.id);
    });
    const write = { namespace, epoch, position, entries: [], memories, revision, atUs: clock.nowUs() };
    if (memories.length > 0) await mirror.mirror(write);
    const released = await hot.release({ namespace, copies });
    if (released.length === 0 && copies.length > 0) throw new Error('memories change while they are salvaged');
  }
}

/** Ids of memories without a copy. */
async function deletedAmong(
  mirror: Mirror,
  namespace: string,
  copies: readonly MirroredMemory[],
  known: readonly unknown[],
): Promise<readonly string[]> {
  const ids = copies.filter((_, at) => !known[at]).map(({ memory }) => memory.id);
  return ids.length === 0 ? ids : mirror.followedIds({ namespace, ids });
}

async function first(ids: AsyncIterable<string>, count: number): Promise<string[]> {
  const taken: string[] = [];
  for await (const id of ids) {
    taken.push(id);
    if (taken.length === count) break;
  }
  return taken;
}

/**
 * Brings the copies to the first available entry: copies everything. Readers of the copies' log get an entry for the
 * gap, unless they have it.
 */
async function crossGap(
  options: FollowOptions,
  namespace: string,
  changes: HotChanges,
  isLogged: boolean,
): Promise<void> {
  const { mirror, clock } = options;
  const known = await mirror.mirrorPosition(namespace);
  if (known && !isLogged) {
    const gapFrom = Number.parseInt(known.position, 10) + 1;
    const write = { namespace, ...known, entries: [], memories: [], revision: 0 };
    await mirror.mirror({ ...write, gapFrom, atUs: clock.nowUs() });
    if (!changes.isDamaged) options.onLoss(namespace, 'gap');
  }
  await copyAll(options, namespace, changes);
}

const GAPS_AT_ONCE = 200;

interface GapStores {
  readonly hot: HotStore;
  readonly mirror: Mirror;
  readonly clock: Clock;
}

/** Copies all memories of a hot namespace, as the entries that describe the changes are missing. */
async function copyAll(
  { hot, mirror, clock }: GapStores,
  namespace: string,
  { epoch }: Pick<HotChanges, 'epoch'>,
): Promise<void> {
  const position = (await mirror.mirrorPosition(namespace))?.position ?? '0-0';
  const copy = async (copies: readonly MirroredMemory[]) => {
    // The copy of a damaged memory stays, as no better data exists.
    const memories = copies.filter(({ isDamaged }) => !isDamaged);
    const write = { namespace, epoch, position, entries: [], memories, revision: 0 };
    // Memories that are long-term here already are released with their entry.
    await mirror.mirror({ ...write, atUs: clock.nowUs() });
  };
  let ids: string[] = [];
  for await (const id of hot.allIds(namespace)) {
    if (ids.push(id) < GAPS_AT_ONCE) continue;
    await copy(await hot.copies({ namespace, ids }));
    ids = [];
  }
  if (ids.length > 0) await copy(await hot.copies({ namespace, ids }));
}

interface DeletionCheckStores {
  readonly cold: MemoryStore;
  readonly clock: Clock;
}

/**
 * Deletes the namespace here where the log has its deletion by another server, and creates it again where it was
 * created again. Data that only this server holds prevents a deletion by a server that took it for empty. True when it
 * was deleted: nothing of the log was followed then.
 */
async function eraseDeleted(
  { cold, clock }: DeletionCheckStores,
  name: string,
  { entries, isThere }: Pick<HotChanges, 'entries' | 'isThere'>,
): Promise<boolean> {
  const last = entries.findLast(({ kind }) => kind === 'namespace_deleted' || kind === 'namespace_emptied');
  if (!last) return false;
  const atUs = clock.nowUs();
  try {
    const { description, memoryLimit } = await cold.getNamespace(name);
    await cold.deleteNamespace({ name, force: last.kind === 'namespace_deleted', atUs });
    if (isThere) await cold.createNamespace({ name, description, memoryLimit, atUs });
    return true;
  } catch (error) {
    if (error instanceof MnemeError && error.reason === 'NAMESPACE_NOT_EMPTY') return false;
    throw error;
  }
}
