import type { GrowingIndex, IndexFiles } from '../vector-index/index-files.ts';
import { NamespaceColumns } from './namespace-columns.ts';
import type { LogEntry, NamespaceEntry, NamespaceSource } from './namespace-source.ts';
import type { NamespaceTexts } from './namespace-texts.ts';

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
  /** What words are found by; read text by text, because that takes some 50 µs each. */
  private readonly allTexts: NamespaceTexts | undefined;
  /** Texts of rows from this key on are not read yet. */
  private nextText: number;
  /** Last row whose text is read. */
  private lastText = 0;
  /** False while the namespace has no vector at all: nothing is to be looked up then. */
  private hasVectors = true;
  /** When somebody last recalled here, by the clock of `NamespaceStates`. */
  askedAtMs = Number.NEGATIVE_INFINITY;
  /** True once a query has waited for the texts that are unread. */
  private hasWaited = false;
  private readonly files: IndexFiles;

  constructor(entry: NamespaceEntry, revision: number, files: IndexFiles, texts?: NamespaceTexts) {
    this.entry = entry;
    this.revision = revision;
    this.files = files;
    this.allTexts = texts;
    this.nextText = texts ? entry.firstKey : Number.POSITIVE_INFINITY;
  }

  /** `undefined` until all texts are read. */
  get texts(): NamespaceTexts | undefined {
    return this.isTextRead ? this.allTexts : undefined;
  }

  get isTextRead(): boolean {
    return this.nextText === Number.POSITIVE_INFINITY;
  }

  /** Reads what is unread, for the first query that meets it and for a while at most: later ones do not wait. */
  awaitTexts(source: NamespaceSource): void {
    if (!this.isTextRead && !this.hasWaited) this.readTexts(source, TEXTS_WAIT_MS);
    this.hasWaited = !this.isTextRead;
  }

  /** To be called before changes of the source's state are applied. */
  beginChanges(source: NamespaceSource): void {
    this.hasVectors = source.namespace(this.entry.name)?.embeddingDimension !== 0;
  }

  /** Reads texts for about `budgetMs`; false when all are read. */
  readTexts(source: NamespaceSource, budgetMs: number): boolean {
    const untilMs = performance.now() + budgetMs;
    while (!this.isTextRead && performance.now() < untilMs) {
      const rows = source.texts(this.entry, this.nextText, TEXTS_AT_ONCE);
      for (const { key, ...text } of rows) this.allTexts?.put(key - this.entry.firstKey, text, this.columns);
      const last = rows.at(-1);
      if (last) this.lastText = last.key;
      this.nextText = last && rows.length === TEXTS_AT_ONCE ? last.key + 1 : Number.POSITIVE_INFINITY;
    }
    return !this.isTextRead;
  }

  /** Reads everything; vectors come from the files where those are good and only what changed since is read. */
  load(source: NamespaceSource): void {
    for (const row of source.columns(this.entry)) this.columns.put(row.key - this.entry.firstKey, row);
    if (this.entry.embeddingDimension === 0) return;
    const saved = this.files.load(this.entry);
    const isFollowed = saved && saved.revision <= this.revision && saved.revision >= source.compactedRevision();
    if (isFollowed && saved.mark === source.markAt(saved.revision)) {
      this.index = saved.index;
      if (this.follow(source, saved.revision)) return;
    }
    this.readVectors(source);
  }

  /** Takes the vectors that the namespace uses now, and none of those it had before. */
  readVectors(source: NamespaceSource): void {
    this.entry = source.namespace(this.entry.name) ?? this.entry;
    this.index = undefined;
    if (this.entry.embeddingDimension === 0) return;
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
    this.applyText(change, source);
    this.applyVector(change, source);
  }

  get bytes(): number {
    return this.columns.bytes + (this.index?.bytes ?? 0) + (this.allTexts?.bytes ?? 0);
  }

  /** Rows whose text is not read yet are read when their turn comes. */
  private applyText({ kind, key }: LogEntry, source: NamespaceSource): void {
    const { allTexts } = this;
    if (!allTexts || key >= this.nextText) return;
    if (kind === 'stored' && key > this.lastText) {
      this.nextText = key;
      return;
    }
    const sequence = key - this.entry.firstKey;
    if (kind === 'erased') allTexts.remove(sequence);
    if (kind !== 'stored' && kind !== 'updated' && kind !== 'resized') return;
    const text = source.text(key);
    if (text === undefined) allTexts.remove(sequence);
    else allTexts.put(sequence, text, this.columns);
  }

  private applyVector(change: LogEntry, source: NamespaceSource): void {
    if (change.kind === 'other' || change.kind === 'namespace_erased' || change.kind === 'vectors_replaced') return;
    if (!this.hasVectors && !this.index) return;
    const isResized = change.kind === 'resized' || change.kind === 'vector_resized';
    const vector = change.kind === 'erased' ? undefined : source.vector(change.key);
    if (vector) {
      this.index ??= this.files.create(vector.length);
      // From the space that a later entry of the log puts into use.
      if (vector.length !== this.index.dimension) return;
      if (isResized) this.index.reform(change.key, vector);
      else this.index.set(change.key, vector);
      this.unsavedChanges++;
    } else if (this.index?.delete(change.key)) {
      this.unsavedChanges++;
    }
  }

  /** Brings a loaded index from the revision it was saved at to this state's; false when its space went out of use. */
  private follow(source: NamespaceSource, savedRevision: number): boolean {
    let after = savedRevision;
    for (;;) {
      const changes = source.changes(after, CHANGES_AT_ONCE);
      for (const change of changes) {
        if (change.namespaceKey !== this.entry.key || change.revision > this.revision) continue;
        if (change.kind === 'vectors_replaced') return false;
        this.applyVector(change, source);
      }
      const last = changes.at(-1);
      if (!last || last.revision >= this.revision) return true;
      after = last.revision;
    }
  }
}

export const CHANGES_AT_ONCE = 1000;
const TEXTS_AT_ONCE = 64;
/** Enough for some thousands. */
const TEXTS_WAIT_MS = 250;
