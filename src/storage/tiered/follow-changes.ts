import { MnemeError } from '../../memory/errors.ts';
import type { HotChanges, HotEntry, HotLoss, MirroredMemory } from '../hot-log.ts';
import type { MirrorWrite } from '../mirror-store.ts';
import { crossGap } from './cross-gap.ts';
import { eraseDeleted } from './erase-deleted.ts';
import { type Followed, type FollowOptions, noteCopied } from './followed.ts';
import { movesAmong } from './moves-among.ts';
import { salvage } from './salvage.ts';

const ROUNDS_MAX = 20;

/** Copies what has changed in a namespace since it was last followed, step by step, until there is no more. */
export async function followChanges(options: FollowOptions, namespace: string, state: Followed): Promise<void> {
  const { hot, mirror, clock } = options;
  if (!state.isRead) {
    state.position = await mirror.mirrorPosition(namespace);
    state.isRead = true;
  }
  const { detour, noted } = state;
  if (detour) await hot.fence(namespace);
  let isGapTold = false;
  for (let rounds = 0; ; ) {
    const changes = await hot.changes({ namespace, ...(state.position && { since: state.position }) });
    const { epoch, position, entries, memories, moves, isGapped, hasMore } = changes;
    if (changes.loss === 'unfollowed') {
      await makeGood(options, namespace, changes.loss, state);
      continue;
    }
    if (
      (state.position && (await eraseDeleted(options, namespace, changes))) ||
      (isGapped && (await crossGap(options, namespace, changes, isGapTold)))
    ) {
      // What was made anew is not followed yet, though its revisions may be below those that were.
      Object.assign(state, { position: undefined, revision: changes.isThere ? -1 : changes.revision });
      if (changes.isThere) continue;
      noteCopied(state, noted);
      return;
    }
    if (changes.isDamaged) options.onLoss(namespace, 'damaged');
    if (changes.loss) await makeGood(options, namespace, changes.loss, state);
    const revision = Math.max(changes.revision, state.floor);
    const completeFrom = isGapped ? changes.revision : undefined;
    isGapTold ||= isGapped;
    if (entries.length > 0 || position !== state.position?.position || state.floor > 0) {
      const write = { namespace, epoch, position, entries, memories, revision, atUs: clock.nowUs() };
      const whole = { ...write, ...(completeFrom !== undefined && { completeFrom }) };
      const mirrored = mirrorChanges(options, whole, moves);
      // Nothing to copy: who waits for copies need not wait until it is noted how far they are.
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
 * Memories that were only moved are sent whole where their copies are not what the move began with. Gives those that are the
 * mirror's own.
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

/** What another store has taken over is as it was copied. */
function isAllReleased(entries: readonly HotEntry[]): boolean {
  return entries.length > 0 && entries.every(({ kind }) => kind === 'released');
}

/** What was acknowledged and copied is not lost: the copies take the place of what the hot store still has. */
async function makeGood(options: FollowOptions, namespace: string, loss: HotLoss, state: Followed): Promise<void> {
  // Revisions of what is left, and of what others have written since, say nothing of those that were followed.
  state.revision = -1;
  if (loss === 'rolled_back') await salvage(options, namespace, state.position);
  options.hot.recovered(namespace);
  options.onLoss(namespace, loss);
}
