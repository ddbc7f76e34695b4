import type { Change, ChangeKind } from '../../change-log/change-log.ts';
import type { Memory, Micros } from '../../memory/memory.ts';
import type { HotEntry } from '../hot-log.ts';
import type { Draft, Room } from './draft.ts';

/** A change with what is to be looked up when it is read: whether its memory is still there. */
export interface LogEntry extends Omit<Change, 'memory' | 'former'> {
  readonly namespaceKey: number;
  readonly sequence: number;
  readonly state?: Memory;
  readonly former?: Memory;
}

const KINDS: Readonly<Record<string, ChangeKind>> = { released: 'deleted' };

/** The entries that changes of rooms leave. */
export class EntryLog {
  entries: LogEntry[] = [];
  compactedRevision = 0;
  /** Keys of the namespaces that are there: one that is made anew is another. */
  readonly keys = new Map<string, number>();
  readonly listeners = new Set<() => void>();
  private readonly rooms: { find(name: string): Room | undefined };
  private nextKey = 1;

  constructor(rooms: { find(name: string): Room | undefined }) {
    this.rooms = rooms;
  }

  /** To be called before the draft takes effect: it may count further. */
  take(draft: Draft, atUs: Micros): void {
    const { before, entries } = draft;
    const changed = [...entries].filter(([id, entry]) => before.get(id) !== entry).map(([id]) => id);
    for (const id of before.keys()) if (!entries.has(id)) changed.push(id);
    const namespaceKey = this.keys.get(draft.name) ?? 0;
    for (const { id, kind, revision, step } of entriesOfDraft(draft, changed)) {
      const entry = entries.get(id);
      const states = entry ? [entry, ...entry.past] : [];
      const at = states.findIndex(({ memory }) => memory.revision === revision);
      const state = at >= 0 ? states[at]?.memory : entry?.memory;
      const former = kind === 'updated' ? states[at + 1]?.memory : undefined;
      this.entries.push({
        revision,
        kind: KINDS[kind] ?? (kind as ChangeKind),
        id,
        atUs,
        namespaceKey,
        sequence: (entry ?? before.get(id))?.sequence ?? 0,
        ...(state && { state }),
        ...(former && { former }),
        ...(step && { formerTier: step.from }),
      });
    }
    if (draft.namespace !== this.rooms.find(draft.name)?.namespace && draft.namespace.revision >= draft.firstRevision) {
      this.note('namespace_updated', draft.name, draft.namespace.revision, atUs);
    }
  }

  open(name: string, revision: number, atUs: Micros): void {
    this.keys.set(name, this.nextKey++);
    this.note('namespace_created', name, revision, atUs);
    this.tell();
  }

  close(name: string, revision: number, atUs: Micros): void {
    this.note('namespace_deleted', name, revision, atUs);
    this.keys.delete(name);
    this.tell();
  }

  tell(): void {
    for (const listener of [...this.listeners]) listener();
  }

  savepoint(): () => void {
    const [entries, keys] = [this.entries.length, new Map(this.keys)];
    return () => {
      this.entries.length = entries;
      this.keys.clear();
      for (const [name, key] of keys) this.keys.set(name, key);
    };
  }

  private note(kind: ChangeKind, name: string, revision: number, atUs: Micros): void {
    const namespaceKey = this.keys.get(name) ?? 0;
    this.entries.push({ revision, kind, id: name, atUs, namespaceKey, sequence: 0 });
  }
}

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
