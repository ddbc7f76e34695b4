import type { HotEntry } from '../mirror-store.ts';
import type { RoomDraft } from './room-state.ts';

/**
 * What the log of a room tells of a draft, in the order in which it happened. Each entry has a revision of its own, so that
 * whoever has read up to one has read everything before it.
 */
export function entriesOf(draft: RoomDraft, changedIds: readonly string[]): HotEntry[] {
  const entries: HotEntry[] = [];
  const unnumbered: Omit<HotEntry, 'revision'>[] = [];
  for (const id of changedIds) {
    const states = statesMade(draft, id);
    const erasedAt = draft.erasedIds.get(id);
    if (erasedAt !== undefined) entries.push({ id, kind: 'deleted', revision: erasedAt });
    entries.push(...states);
    if (erasedAt === undefined && states.length === 0) unnumbered.push({ id, kind: otherKind(draft, id) });
  }
  const taken = new Set(entries.map(({ revision }) => revision));
  let free = draft.firstRevision;
  for (const entry of unnumbered) {
    while (taken.has(free)) free++;
    entries.push({ ...entry, revision: free++ });
  }
  draft.revision = Math.max(draft.revision, free - 1);
  return entries.sort((one, other) => one.revision - other.revision);
}

/** States that the draft gave the memory, several where it was changed more than once. */
function statesMade(draft: RoomDraft, id: string): HotEntry[] {
  const entry = draft.entries.get(id);
  if (!entry) return [];
  return [...entry.past.toReversed(), entry]
    .filter(({ memory }) => memory.revision >= draft.firstRevision)
    .map(({ memory, change }) => ({ id, kind: change, revision: memory.revision }));
}

function otherKind(draft: RoomDraft, id: string): HotEntry['kind'] {
  const [before, after] = [draft.before.get(id), draft.entries.get(id)];
  if (!after) return draft.releasedIds.has(id) ? 'released' : 'deleted';
  // One that was not here before, and has no new state, came from another store.
  if (before?.memory.tier !== after.memory.tier) return 'moved';
  return before.state === after.state ? 'touched' : 'embedded';
}
