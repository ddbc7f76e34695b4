import type { HotEntry, MirroredMemory, MirroredMove } from '../hot-log.ts';
import { loneKinds } from '../mirrored-move.ts';
import { mirrored } from './log-entries.ts';
import type { RoomReader } from './room-reader.ts';
import { copiesOf } from './whole-copies.ts';

/** Most memories that are read at once. */
const READ_AT_ONCE = 100;

/**
 * What the entries of the log are about, as it is now or as the entry left it: what came later has an entry of its own. Without
 * what is damaged: its copy stays as it is, there is nothing better.
 */
export async function changedOf(
  reader: RoomReader,
  epoch: string,
  entries: readonly HotEntry[],
): Promise<{ memories: MirroredMemory[]; moves: MirroredMove[] }> {
  const memories: MirroredMemory[] = [];
  const moves: MirroredMove[] = [];
  const unknown: string[] = [];
  const ofMemories = entries.filter(({ id, state }) => id !== '' && !state);
  // What another server has taken over is as it was before.
  const there = ofMemories.filter(({ kind }) => kind !== 'released');
  const places = new Map(there.map(({ id, revision }) => [id, revision]));
  const kinds = loneKinds(ofMemories);
  for (const [id, place] of places) {
    const { entry, move } = reader.recent.take(epoch, id, place) ?? {};
    if (entry) memories.push(mirrored(entry, entry.past));
    // What the entries before tell of it takes the whole of it.
    else if (move && kinds.get(id) === 'moved') moves.push(move);
    else unknown.push(id);
  }
  for (let from = 0; from < unknown.length; from += READ_AT_ONCE) {
    memories.push(...(await copiesOf(reader, unknown.slice(from, from + READ_AT_ONCE))));
  }
  return { memories: memories.filter(({ isDamaged }) => !isDamaged), moves };
}
