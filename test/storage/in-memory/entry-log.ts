import type { Memory, Micros } from '../../../src/memory/memory.ts';
import type { Change, ChangeKind } from '../../../src/storage/change-log/change-log.ts';
import { type Draft, entriesOfDraft, type NamespaceContents } from '../../../src/storage/rules/draft.ts';

/** A change, with the key to look up at read time whether its memory still exists. */
export interface LogEntry extends Omit<Change, 'memory' | 'former'> {
  readonly namespaceKey: number;
  readonly sequence: number;
  readonly state?: Memory;
  readonly former?: Memory;
}

/** Log entries of committed drafts. */
export class EntryLog {
  entries: LogEntry[] = [];
  compactedRevision = 0;
  /** Keys of the existing namespaces: a namespace that is created again has a new key. */
  readonly keys = new Map<string, number>();
  readonly listeners = new Set<() => void>();
  private readonly namespaces: { find(name: string): NamespaceContents | undefined };
  private nextKey = 1;

  constructor(namespaces: { find(name: string): NamespaceContents | undefined }) {
    this.namespaces = namespaces;
  }

  /** To be called before the draft takes effect, as this may assign further revisions. */
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
        kind,
        id,
        atUs,
        namespaceKey,
        sequence: (entry ?? before.get(id))?.sequence ?? 0,
        state,
        former,
        formerTier: step?.from,
      });
    }
    if (
      draft.namespace !== this.namespaces.find(draft.name)?.namespace &&
      draft.namespace.revision >= draft.firstRevision
    ) {
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
