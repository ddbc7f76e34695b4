import type { Micros } from '../../memory/memory.ts';
import { FilterColumns } from '../filtering/filter-columns.ts';
import type { KeptStates } from '../states/kept-states.ts';
import { StateReading } from '../states/state-reading.ts';
import type { GrowingIndex, IndexFiles, StoreState } from '../vectors/vector-index.ts';
import type { ColumnFiles } from './kept-columns.ts';
import type { BegunGraph, GraphFiles, GraphKind, KeepableGraph } from './kept-graphs.ts';
import type { KeptTexts } from './kept-texts.ts';
import { NamespaceColumns } from './namespace-columns.ts';
import type { LogEntry, NamespaceEntry, NamespaceSource } from './namespace-source.ts';
import type { NamespaceTexts } from './namespace-texts.ts';
import { TEXT_KINDS, TextReading } from './text-reading.ts';

type KeptTextsOf = { readonly texts: KeptTexts } & StoreState;

interface StateOptions {
  readonly files: IndexFiles;
  readonly graphFiles?: GraphFiles;
  /** Texts of a namespace that its first query waits for. Default 8,000. */
  readonly textsAwaitedMax?: number;
}

/** Of an empty namespace, besides its arrays; measured. */
const OBJECTS_BYTES = 8192;

/** The search thread's cache of one namespace, which follows the change log. */
export class NamespaceState {
  entry: NamespaceEntry;
  readonly columns = new NamespaceColumns();
  /** What filters compare. */
  readonly filters = new FilterColumns(this.columns);
  /** When a memory expires, or begins or ends to be valid. */
  readonly nextTurn = new NextInstant((nowUs) => this.columns.firstTurnUs(nowUs));
  /** When a memory begins to be valid. */
  readonly nextStart = new NextInstant((nowUs) => this.columns.firstStartUs(nowUs));
  /** Made when the namespace has its first vector. */
  index: GrowingIndex | undefined;
  /** Change-log revision up to which it has read. */
  revision: number;
  /** Vectors that changed or came into the graph since the index was last saved. */
  unsavedChanges = 0;
  /** Place in the store from which vectors are still to be read. */
  private nextVector: number | undefined;
  /** The index for keyword search. */
  private readonly reading: TextReading | undefined;
  /** Made when states are compared for the first time. */
  private structured: StateReading | undefined;
  private loadKeptTexts: (() => KeptTextsOf | undefined) | undefined;
  /** Memories whose columns have changed since they were last saved. */
  unsavedColumns = 0;
  /** False while the namespace has no vectors: lookups are then skipped. */
  private hasVectors = true;
  /** Time of the last recall, by the clock of `NamespaceStates`. */
  askedAtMs = Number.NEGATIVE_INFINITY;
  /** `bytes`, as `NamespaceStates` has measured it last. */
  measuredBytes = 0;
  /** True once a query has waited for the texts that are unread. */
  private hasWaited = false;
  private readonly files: IndexFiles;
  private readonly graphFiles: GraphFiles | undefined;
  private readonly textsAwaitedMax: number;

  constructor(
    entry: NamespaceEntry,
    revision: number,
    { files, graphFiles, textsAwaitedMax = TEXTS_AWAITED_MAX }: StateOptions,
    texts?: NamespaceTexts,
  ) {
    this.entry = entry;
    this.revision = revision;
    this.files = files;
    this.graphFiles = graphFiles;
    this.textsAwaitedMax = textsAwaitedMax;
    this.reading = texts && new TextReading(texts, entry);
  }

  /** `undefined` until all texts are read. */
  get texts(): NamespaceTexts | undefined {
    return this.reading?.whole;
  }

  get isTextRead(): boolean {
    return this.reading?.isDone !== false;
  }

  /** False while a passage of a long text is not yet searchable; all other texts may be read already. */
  get arePassagesRead(): boolean {
    return this.reading?.arePassagesRead !== false;
  }

  /** The states that are read; `undefined` until states are first compared. */
  get keptStates(): KeptStates | undefined {
    return this.structured?.states;
  }

  /** Reads contents for about `budgetMs` into `keptStates`; false when all are read. */
  readStates(source: NamespaceSource, budgetMs: number): boolean {
    this.structured ??= new StateReading(this.entry);
    return this.structured.advance(source, this.entry, this.columns, budgetMs);
  }

  /** Texts changed since they were last kept. */
  get unsavedTexts(): number {
    return this.reading?.unsavedChanges ?? 0;
  }

  textsSaved(): void {
    if (this.reading) this.reading.unsavedChanges = 0;
  }

  /**
   * Reads unread texts for the first query, within a time limit: later queries do not wait. Nor does the first one where the
   * time does not suffice for so many.
   */
  awaitTexts(source: NamespaceSource): void {
    if (!this.isTextRead && !this.hasWaited) {
      if (this.loadKeptTexts) this.startFromKeptTexts(source);
      const isSoonRead = this.reading?.isAdopting || this.columns.size <= this.textsAwaitedMax;
      if (isSoonRead) this.readTexts(source, TEXTS_WAIT_MS);
    }
    this.hasWaited = !this.isTextRead;
  }

  /** To be called before changes of the source's state are applied. */
  beginChanges(source: NamespaceSource): void {
    this.hasVectors = source.namespace(this.entry.name)?.embeddingDimension !== 0;
  }

  /** Reads texts for about `budgetMs`; false when all are read. */
  readTexts(source: NamespaceSource, budgetMs: number): boolean {
    if (this.loadKeptTexts) this.startFromKeptTexts(source);
    return this.reading?.advance(source, this.entry, this.columns, budgetMs) ?? false;
  }

  /** Puts vectors of texts into a graph for about `budgetMs`; false when there is nothing left to do. */
  growTextGraph(source: NamespaceSource, budgetMs: number): boolean {
    const { texts } = this;
    if (!texts) return false;
    const { vectors, tokens } = texts.ranked;
    const begin = () => this.beginGraph(source, 'texts', { dimension: vectors.dimensions, count: tokens.size });
    return texts.growGraph(begin, this.columns.end, budgetMs);
  }

  /** Puts vectors of states into a graph for about `budgetMs`; false when there is nothing left to do. */
  growStateGraph(source: NamespaceSource, budgetMs: number): boolean {
    const { structured } = this;
    if (!structured?.isDone) return false;
    const { states } = structured;
    return states.growGraph(
      (dimension, isNew) => this.beginGraph(source, 'states', { dimension, count: states.size, isNew }),
      budgetMs,
    );
  }

  /** A new graph, or that of an earlier run where its file is of this store; `undefined` where none is needed. */
  private beginGraph(
    source: NamespaceSource,
    kind: GraphKind,
    { dimension, count, isNew = false }: { dimension: number; count: number; isNew?: boolean },
  ): BegunGraph | undefined {
    const graph = this.files.newGraph(dimension, count);
    if (!graph || isNew) return graph && { graph };
    const kept = this.graphFiles?.load(this.entry, kind, dimension);
    if (!kept || !this.isFollowable(source, kept)) return { graph };
    const changed: number[] = [];
    for (const change of this.changesSince(source, kept.revision)) {
      if (TEXT_KINDS.has(change.kind)) changed.push(change.key - this.entry.firstKey);
    }
    return { graph: kept.graph, kept, changed };
  }

  /** The graphs of texts and states, as far as there are any. */
  graphs(): readonly (readonly [GraphKind, KeepableGraph])[] {
    const [texts, states] = [this.texts?.graph, this.structured?.states.graph.candidates];
    return [...(texts ? [['texts', texts] as const] : []), ...(states ? [['states', states] as const] : [])];
  }

  /** Makes vectors of the sentence encoder for about `budgetMs`; false when there are none left to make. */
  makeMeanings(source: NamespaceSource, budgetMs: number): boolean {
    return this.reading?.makeMeanings(source, budgetMs) ?? false;
  }

  /** Persisted analyses, which are loaded when texts are first read; only immediately after `load`. */
  useKeptTexts(load: () => KeptTextsOf | undefined): void {
    this.loadKeptTexts = load;
  }

  /** Starts from persisted analyses, if they are of this store. */
  private startFromKeptTexts(source: NamespaceSource): void {
    const kept = this.loadKeptTexts?.();
    this.loadKeptTexts = undefined;
    if (!kept || !this.reading || !this.isFollowable(source, kept)) return;
    this.reading.useKept(kept.texts);
    for (const { kind, key } of this.changesSince(source, kept.revision)) {
      if (TEXT_KINDS.has(kind)) this.reading.noteChanged(key);
    }
  }

  /**
   * Loads everything; columns and vectors come from files where these are valid, and only later changes are read from the
   * store.
   */
  load(source: NamespaceSource, columnFiles?: ColumnFiles): void {
    this.loadColumns(source, columnFiles);
    if (this.entry.embeddingDimension === 0) return;
    const saved = this.files.load(this.entry);
    this.index = saved?.index;
    if (saved && this.isFollowable(source, saved) && this.follow(source, saved.revision)) return;
    this.beginVectors(source);
    while (this.readVectors(source, Number.POSITIVE_INFINITY));
  }

  private loadColumns(source: NamespaceSource, files: ColumnFiles | undefined): void {
    const saved = files?.load(this.entry);
    if (saved && this.isFollowable(source, saved)) {
      this.columns.adopt(saved.columns);
      for (const change of this.changesSince(source, saved.revision)) this.applyColumns(change, source);
      return;
    }
    for (const row of source.columns(this.entry)) this.columns.put(row.key - this.entry.firstKey, row);
    this.unsavedColumns = this.columns.size;
  }

  private applyColumns({ kind, key }: LogEntry, source: NamespaceSource): void {
    const isChanged = kind === 'stored' || kind === 'updated';
    if (!isChanged && kind !== 'erased') return;
    const row = isChanged ? source.column(key) : undefined;
    if (row) this.columns.put(key - this.entry.firstKey, row);
    else this.columns.remove(key - this.entry.firstKey);
    this.unsavedColumns++;
  }

  /** Switches to the vectors that the namespace uses now and drops the former ones; read them with `readVectors`. */
  beginVectors(source: NamespaceSource): void {
    this.entry = source.namespace(this.entry.name) ?? this.entry;
    const { embeddingDimension } = this.entry;
    this.index?.close();
    this.index = embeddingDimension === 0 ? undefined : this.files.create(this.entry);
    this.nextVector = embeddingDimension === 0 ? undefined : Number.NEGATIVE_INFINITY;
  }

  /** Reads vectors for about `budgetMs`; false when all are read. Vectors already read are searchable. */
  readVectors(source: NamespaceSource, budgetMs: number): boolean {
    const untilMs = performance.now() + budgetMs;
    while (this.nextVector !== undefined && performance.now() < untilMs) {
      const { vectors, next } = source.vectors(this.entry, this.nextVector, VECTORS_AT_ONCE);
      for (const { key, values } of vectors) this.index?.set(key, values);
      this.unsavedChanges += vectors.length;
      this.nextVector = next;
    }
    return this.nextVector !== undefined;
  }

  /** Reads vectors again whose files are damaged. */
  repairVectors(source: NamespaceSource): void {
    for (const key of this.index?.takeDamaged() ?? []) {
      const vector = source.vector(key);
      if (vector && vector.length === this.index?.dimension) this.index.set(key, vector);
      else this.index?.delete(key);
      this.unsavedChanges++;
    }
  }

  /** Lets go of files and memory; it is not used again. */
  close(): void {
    this.index?.close();
    this.index = undefined;
  }

  /** Grows the graph for about `budgetMs`; false when it is complete. */
  growGraph(budgetMs: number): boolean {
    const { index } = this;
    if (!index) return false;
    const outside = index.exactCount;
    const isGrowing = index.advance(budgetMs);
    this.unsavedChanges += Math.max(0, outside - index.exactCount);
    return isGrowing;
  }

  /** False while the vectors are being reloaded. */
  get isVectorRead(): boolean {
    return this.nextVector === undefined;
  }

  apply(change: LogEntry, source: NamespaceSource): void {
    this.applyColumns(change, source);
    this.filters.apply(change, this.entry);
    this.nextTurn.forget();
    this.nextStart.forget();
    this.reading?.apply(change, source, this.columns);
    this.structured?.apply(change, source, this.columns);
    this.applyVector(change, source);
  }

  get bytes(): number {
    const { columns, filters, index, reading, structured } = this;
    const arrays =
      columns.bytes + filters.bytes + (index?.bytes ?? 0) + (reading?.bytes ?? 0) + (structured?.bytes ?? 0);
    return OBJECTS_BYTES + arrays;
  }

  private applyVector(change: LogEntry, source: NamespaceSource): void {
    if (WITHOUT_VECTOR.has(change.kind)) return;
    if (!this.hasVectors && !this.index) return;
    // Another form of the same vector, or a repaired one of a damaged one.
    const isResized = change.kind === 'resized' || change.kind === 'vector_resized';
    if (isResized && this.index?.has(change.key)) return;
    const vector = change.kind === 'erased' ? undefined : source.vector(change.key);
    if (vector) {
      this.index ??= this.files.create({ ...this.entry, embeddingDimension: vector.length });
      // From the space that a later entry of the log puts into use.
      if (vector.length !== this.index.dimension) return;
      this.index.set(change.key, vector);
      this.unsavedChanges++;
    } else if (this.index?.delete(change.key)) {
      this.unsavedChanges++;
    }
  }

  /**
   * Advances a loaded index from its saved revision to this state's revision; false when its vector space is no longer
   * in use.
   */
  private follow(source: NamespaceSource, savedRevision: number): boolean {
    for (const change of this.changesSince(source, savedRevision)) {
      if (change.kind === 'vectors_replaced') return false;
      this.applyVector(change, source);
    }
    return true;
  }

  /** True for files saved from this store at a revision since which the change log is complete. */
  private isFollowable(source: NamespaceSource, { revision, mark }: StoreState): boolean {
    const isKnown = revision <= this.revision && revision >= source.compactedRevision();
    return isKnown && mark === source.markAt(revision);
  }

  /** Changes of the namespace up to this state's revision. */
  private *changesSince(source: NamespaceSource, savedRevision: number): Iterable<LogEntry> {
    for (let after = savedRevision; after < this.revision; ) {
      const changes = source.changes(after, CHANGES_AT_ONCE);
      for (const change of changes) {
        if (change.namespaceKey === this.entry.key && change.revision <= this.revision) yield change;
      }
      after = changes.at(-1)?.revision ?? this.revision;
    }
  }
}

const WITHOUT_VECTOR: ReadonlySet<LogEntry['kind']> = new Set([
  'other',
  'moved',
  'namespace_erased',
  'vectors_replaced',
]);
export const CHANGES_AT_ONCE = 1000;
const VECTORS_AT_ONCE = 64;
const TEXTS_WAIT_MS = 250;
/** More than are analysed in that time. */
const TEXTS_AWAITED_MAX = 8000;

const UNKNOWN = 0;

/**
 * The next instant at which a memory of the namespace expires or changes its validity; recomputed only after a change
 * or when it has passed.
 */
class NextInstant {
  private readonly find: (nowUs: Micros) => Micros;
  private fromUs: Micros = 0;
  private atUs: Micros = UNKNOWN;

  /** `find`: the first one after an instant, `Infinity` when there is none. */
  constructor(find: (nowUs: Micros) => Micros) {
    this.find = find;
  }

  /** To be called after every change of the namespace. */
  forget(): void {
    this.atUs = UNKNOWN;
  }

  afterUs(nowUs: Micros): Micros {
    if (this.fromUs <= nowUs && nowUs < this.atUs) return this.atUs;
    this.fromUs = nowUs;
    this.atUs = this.find(nowUs);
    return this.atUs;
  }
}
