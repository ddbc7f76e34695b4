import { compactedFor, historyLost, namespaceNotFound } from '../../../src/memory/errors.ts';
import type { Memory } from '../../../src/memory/memory.ts';
import { bytesOfChange } from '../../../src/storage/change-log/change-feed.ts';
import type {
  Change,
  ChangeLog,
  ChangePage,
  ChangeRead,
  LogPlace,
  LogStretch,
  WatchedNamespace,
} from '../../../src/storage/change-log/change-log.ts';
import type { AllNamespaces } from './all-namespaces.ts';
import type { LogEntry } from './entry-log.ts';

/** Approximate bytes of an entry besides its id. */
const ENTRY_BYTES = 40;
let logs = 0;

/** The change log of the in-memory store. */
export class InMemoryChangeLog implements ChangeLog {
  private readonly namespaces: AllNamespaces;
  private readonly log = `in-memory-${++logs}`;

  constructor(namespaces: AllNamespaces) {
    this.namespaces = namespaces;
  }

  get revision(): number {
    return this.namespaces.revision;
  }
  async changedNamespaces({ afterRevision, limit }: Parameters<ChangeLog['changedNamespaces']>[0]) {
    const { compactedRevision, keys } = this.namespaces.log;
    const found = this.after(afterRevision);
    if (afterRevision < compactedRevision || found.length >= limit) return undefined;
    const names = new Map([...keys].map(([name, key]) => [key, name]));
    const changed = [...new Set(found.map(({ namespaceKey }) => names.get(namespaceKey)))];
    // A deleted namespace has no name any more.
    return changed.every((name) => name !== undefined) ? changed : undefined;
  }
  async compactedRevision(): Promise<number> {
    return this.namespaces.log.compactedRevision;
  }
  async watchedNamespace(name: string): Promise<WatchedNamespace> {
    const key = this.namespaces.log.keys.get(name);
    if (key === undefined) throw namespaceNotFound(name);
    return { key, name };
  }
  async place(_namespace: WatchedNamespace, revision: number): Promise<LogPlace> {
    return { log: this.log, revision, epoch: '', origin: 0, term: await this.termAt(revision) };
  }
  /** The log is one object: it is lost as a whole or not at all. */
  async termAt(revision: number): Promise<string> {
    return revision > 0 ? this.log : '';
  }
  async revisionAt(_namespace: WatchedNamespace, { log, revision, term }: LogPlace): Promise<number> {
    const { compactedRevision } = this.namespaces.log;
    if (log !== this.log) throw compactedFor(revision, compactedRevision);
    if (term === '' || (term === this.log && revision <= this.revision)) return revision;
    throw historyLost(revision, compactedRevision, this.revision);
  }

  async readChanges({ namespace, afterRevision, limit, bytesMax }: ChangeRead): Promise<ChangePage> {
    this.checkKept(afterRevision);
    const { revision } = this;
    const changes: Change[] = [];
    let bytes = 0;
    for (const entry of this.after(afterRevision)) {
      if (entry.namespaceKey !== namespace.key) continue;
      const change = this.changeOf(namespace.name, entry);
      changes.push(change);
      bytes += bytesOfChange(change);
      if (changes.length === limit || bytes >= bytesMax) return { changes, throughRevision: entry.revision };
    }
    return { changes, throughRevision: Math.max(revision, afterRevision) };
  }

  async readTail({ namespaces, afterRevision, limit, bytesMax }: Parameters<ChangeLog['readTail']>[0]) {
    const found = this.after(afterRevision).slice(0, limit);
    const changes = new Map<number, Change[]>();
    let bytes = 0;
    for (const entry of found) {
      const name = namespaces.get(entry.namespaceKey);
      if (name === undefined) continue;
      const change = this.changeOf(name, entry);
      changes.set(entry.namespaceKey, [...(changes.get(entry.namespaceKey) ?? []), change]);
      bytes += bytesOfChange(change);
      if (bytes >= bytesMax) return { changes, throughRevision: entry.revision };
    }
    const last = found.at(-1)?.revision ?? afterRevision;
    return { changes, throughRevision: found.length === limit ? last : Math.max(last, this.revision) };
  }

  onCommit(listener: () => void): () => void {
    this.namespaces.log.listeners.add(listener);
    return () => void this.namespaces.log.listeners.delete(listener);
  }

  async measure({
    afterRevision,
    limit,
    orFewer = false,
  }: Parameters<ChangeLog['measure']>[0]): Promise<LogStretch | undefined> {
    const found = this.after(afterRevision).slice(0, limit);
    const last = found.at(-1);
    if (!last || (found.length < limit && !orFewer)) return undefined;
    const bytes = found.reduce((sum, { id }) => sum + id.length + ENTRY_BYTES, 0);
    return { throughRevision: last.revision, count: found.length, bytes, newestAtUs: last.atUs };
  }

  async compact({ throughRevision, limit }: { throughRevision: number; limit: number }): Promise<boolean> {
    const { log } = this.namespaces;
    const through = Math.min(throughRevision, this.revision);
    if (through <= log.compactedRevision) return true;
    const gone = log.entries.filter(({ revision }) => revision <= through).slice(0, limit);
    const isDone = gone.length < limit || (gone.at(-1)?.revision ?? 0) >= through;
    log.compactedRevision = isDone ? through : (gone.at(-1)?.revision ?? 0);
    log.entries = log.entries.slice(gone.length);
    return isDone;
  }

  private after(revision: number): LogEntry[] {
    return this.namespaces.log.entries.filter((entry) => entry.revision > revision);
  }

  private checkKept(afterRevision: number): void {
    const { compactedRevision } = this.namespaces.log;
    if (afterRevision < compactedRevision) throw compactedFor(afterRevision, compactedRevision);
  }

  /** Of a memory that was erased since, the log holds only the id. */
  private changeOf(namespace: string, { namespaceKey: _, sequence, state, former, ...change }: LogEntry): Change {
    const isThere = this.namespaces.find(namespace)?.entries.get(change.id)?.sequence === sequence;
    return {
      ...change,
      ...(isThere && state && { memory: withoutVector(state) }),
      ...(isThere && former && { former: withoutVector(former) }),
    };
  }
}

function withoutVector({ embedding: _, ...memory }: Memory): Memory {
  return memory;
}
