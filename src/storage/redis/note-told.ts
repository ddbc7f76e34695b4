import { moveOf } from '../mirrored-move.ts';
import type { RoomReader } from './room-reader.ts';
import type { RoomDraft } from './room-state.ts';

/** Keeps what this server knows of memories that it has just written: who asks for them, or follows the log, need not read them. */
export function noteTold(
  { members, recent, own, room }: RoomReader,
  draft: RoomDraft,
  { isMove, isFollowed }: { readonly isMove: boolean; readonly isFollowed: boolean },
): void {
  const { epoch } = draft.state;
  if (isFollowed) own.note(draft);
  for (const { entry: told } of draft.told) {
    const { id, revision } = told;
    const entry = draft.entries.get(id);
    if (!entry) continue;
    members.note(room, id, entry.sequence);
    // Former states of what was there are not loaded.
    const isWhole = entry.change === 'stored' || !draft.before.has(id);
    if (!isFollowed || !isWhole) continue;
    if (isMove) recent.noteMove(epoch, revision, moveOf(entry, entry.state));
    else recent.note(epoch, revision, entry);
  }
}
