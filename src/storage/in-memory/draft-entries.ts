import type { HotEntry } from '../hot-log.ts';
import type { Draft } from './draft.ts';

/**
 * What the log of a namespace is to tell of a draft, in the order in which it happened. Each entry has a revision of its own, so that
 * whoever has read up to one has read everything before it.
 */
export function entriesOfDraft(
  draft: Draft,
  changedIds: readonly string[],
  /** Those that have a revision already. */
  others: readonly HotEntry[] = [],
): HotEntry[] {
  const entries: HotEntry[] = [...others];
  const unnumbered: Omit<HotEntry, 'revision'>[] = [];
  for (const id of changedIds) {
    const states = statesMade(draft, id);
    const erasure = draft.erasedIds.get(id);
    if (erasure) entries.push({ id, ...erasure });
    entries.push(...states);
    if (!erasure && states.length === 0) unnumbered.push({ id, ...otherChange(draft, id) });
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
function statesMade(draft: Draft, id: string): HotEntry[] {
  const entry = draft.entries.get(id);
  if (!entry) return [];
  return [...entry.past.toReversed(), entry]
    .filter(({ memory }) => memory.revision >= draft.firstRevision)
    .map(({ memory, change }) => ({ id, kind: change, revision: memory.revision }));
}

function otherChange(draft: Draft, id: string): Pick<HotEntry, 'kind' | 'step'> {
  const [before, after] = [draft.before.get(id), draft.entries.get(id)];
  if (!after) return { kind: draft.releasedIds.has(id) ? 'released' : 'deleted' };
  // One that was not here before, and has no new state, came from another store.
  if (!before) return { kind: 'moved' };
  const step = { from: before.memory.tier, to: after.memory.tier };
  if (step.from !== step.to) return { kind: 'moved', step };
  return { kind: before.state === after.state ? 'touched' : 'embedded' };
}
