import type { GrowingIndex, IndexFiles } from '../vector-index/index-files.ts';
import { NamespaceColumns } from './namespace-columns.ts';
import type { LogEntry, NamespaceEntry, NamespaceSource } from './namespace-source.ts';

/** What the search thread holds of one namespace: a cache that follows the change log. */
export class NamespaceState {
  entry: NamespaceEntry;
  readonly columns = new NamespaceColumns();
  /** Made when the namespace has its first vector. */
  index: GrowingIndex | undefined;
  /** Change-log revision up to which it has read. */
  revision: number;
  /** Vectors changed since the index was last saved. */
  unsavedChanges = 0;
  private readonly files: IndexFiles;

  constructor(entry: NamespaceEntry, revision: number, files: IndexFiles) {
    this.entry = entry;
    this.revision = revision;
    this.files = files;
  }

  /** Reads everything; vectors come from the files where those are good and only what changed since is read. */
  load(source: NamespaceSource): void {
    for (const row of source.columns(this.entry)) this.columns.put(row.key - this.entry.firstKey, row);
    if (this.entry.embeddingDimension === 0) return;
    const saved = this.files.load(this.entry);
    if (saved && saved.revision <= this.revision && saved.mark === source.markAt(saved.revision)) {
      this.index = saved.index;
      this.follow(source, saved.revision);
      return;
    }
    const index = this.files.create(this.entry.embeddingDimension);
    for (const { key, values } of source.vectors(this.entry)) index.set(key, values);
    this.index = index;
    this.unsavedChanges = index.size;
  }

  apply(change: LogEntry, source: NamespaceSource): void {
    const sequence = change.key - this.entry.firstKey;
    if (change.kind === 'stored' || change.kind === 'updated') {
      const row = source.column(change.key);
      if (row) this.columns.put(sequence, row);
      else this.columns.remove(sequence);
    } else if (change.kind === 'erased') {
      this.columns.remove(sequence);
    }
    this.applyVector(change, source);
  }

  get bytes(): number {
    return this.columns.bytes + (this.index?.bytes ?? 0);
  }

  private applyVector(change: LogEntry, source: NamespaceSource): void {
    if (change.kind === 'other' || change.kind === 'namespace_erased') return;
    const vector = change.kind === 'erased' ? undefined : source.vector(change.key);
    if (vector) {
      this.index ??= this.files.create(vector.length);
      this.index.set(change.key, vector);
      this.unsavedChanges++;
    } else if (this.index?.delete(change.key)) {
      this.unsavedChanges++;
    }
  }

  /** Brings a loaded index from the revision it was saved at to this state's. */
  private follow(source: NamespaceSource, savedRevision: number): void {
    let after = savedRevision;
    for (;;) {
      const changes = source.changes(after, CHANGES_AT_ONCE);
      for (const change of changes) {
        if (change.namespaceKey === this.entry.key && change.revision <= this.revision)
          this.applyVector(change, source);
      }
      const last = changes.at(-1);
      if (!last || last.revision >= this.revision) return;
      after = last.revision;
    }
  }
}

export const CHANGES_AT_ONCE = 1000;
