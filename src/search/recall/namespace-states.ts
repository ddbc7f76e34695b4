import { namespaceNotFound } from '../../memory/errors.ts';
import { Slices } from '../../memory/slices.ts';
import type { IndexFiles } from '../vectors/vector-index.ts';
import type { ColumnFiles } from './kept-columns.ts';
import type { GraphFiles, GraphKind, KeepableGraph } from './kept-graphs.ts';
import type { KeptTexts, TextFiles } from './kept-texts.ts';
import type { NamespaceSource } from './namespace-source.ts';
import { CHANGES_AT_ONCE, NamespaceState } from './namespace-state.ts';
import type { NamespaceTexts } from './namespace-texts.ts';

const KEPT_MIN = 1000;
/**
 * Time for which new sentence vectors are started in one slice: one vector takes up to 6 ms, so a slice usually
 * computes one and delays calls by no more.
 */
const MEANINGS_MS = 1;
/** Number of changes within a period that counts as a storm, and the quiet time that ends it. */
const STORM_CHANGES = 100;
const STORM_WITHIN_MS = 200;
const STORM_MS = 500;
const WAITING_VECTORS_MAX = 20_000;
const LATE_VECTORS_MAX = 100_000;
/** A namespace that was recalled from so recently is kept up to date in a storm of writes too. */
const ATTENDED_MS = 10_000;

export interface StatesOptions {
  readonly source: NamespaceSource;
  readonly files: IndexFiles;
  /** Creates the learned order's data of a namespace; absent where there is no learned order. */
  readonly newTexts?: () => NamespaceTexts;
  /** Storage of analysed texts between runs; absent where they are not persisted. */
  readonly textFiles?: TextFiles;
  /** Storage of columns between runs; absent where they are not persisted. */
  readonly columnFiles?: ColumnFiles;
  /** Storage of graphs of texts and states between runs; absent where they are not persisted. */
  readonly graphFiles?: GraphFiles;
  /** Memories from which on a namespace's texts and columns are kept: fewer are read sooner than a file is. Default 1,000. */
  readonly textsKeptMin?: number;
  /** Texts of a namespace that its first query waits for; with more, it names them as unread. Default 8,000. */
  readonly textsAwaitedMax?: number;
  /** Namespaces used least recently are let go of when all together pass this. */
  readonly bytesMax: number;
  /** Vectors of a namespace that are not in its graph, from which on it grows in a storm too. Default 20,000: compared in 1 ms. */
  readonly waitingVectorsMax?: number;
  /** From here on it grows as fast as it can where it is recalled from. Default 100,000: compared in 5 ms. */
  readonly lateVectorsMax?: number;
  /** Distinguishes storms from quiet periods; default: the monotonic clock of the process. */
  readonly nowMs?: () => number;
}

/** What is saved. */
interface SaveOptions {
  /** Vectors, columns or texts that have changed since they were last saved. */
  readonly changesMin: number;
  /** The same as a share of all vectors. Default 0. */
  readonly share?: number;
  /** Asked before each file; files that are begun are completed. Default: always. */
  readonly canBegin?: () => boolean;
}

/** The namespaces that recall has read into memory, kept up to date from the change log. */
export class NamespaceStates {
  private readonly options: StatesOptions;
  /** In order of use, least recent first. */
  private readonly states = new Map<number, NamespaceState>();
  /** Of all states, as they were last measured. */
  private bytes = 0;
  /** Those that a recall, a change or work after it may have enlarged since they were measured. */
  private readonly unsettled = new Set<NamespaceState>();
  private lastOpened: NamespaceState | undefined;
  private revision = 0;
  private stormUntilMs = Number.NEGATIVE_INFINITY;
  private countedFromMs = Number.NEGATIVE_INFINITY;
  private countedChanges = 0;
  private readonly nowMs: () => number;

  constructor(options: StatesOptions) {
    this.options = options;
    this.nowMs = options.nowMs ?? (() => performance.now());
  }

  /** True while many changes come in and no recall has to compare with too many vectors that wait for the graph. */
  get canWait(): boolean {
    if (!this.isStorm) return false;
    const { lateVectorsMax = LATE_VECTORS_MAX } = this.options;
    for (const state of this.states.values()) {
      if (this.isAttended(state) && (state.index?.exactCount ?? 0) > lateVectorsMax) return false;
    }
    return true;
  }

  private isAttended({ askedAtMs }: NamespaceState): boolean {
    return askedAtMs >= this.nowMs() - ATTENDED_MS;
  }

  private get isStorm(): boolean {
    return this.nowMs() < this.stormUntilMs;
  }

  /**
   * State of a namespace at the source's revision; `needsTexts` when words will be looked for. To be called between `begin`
   * and `end` of the source.
   */
  open(name: string, needsTexts = true): NamespaceState {
    const { source } = this.options;
    while (this.follow());
    const entry = source.namespace(name);
    if (!entry) throw namespaceNotFound(name);
    let state = this.states.get(entry.key);
    if (state) {
      state.entry = entry;
    } else {
      state = new NamespaceState(entry, this.revision, this.options, this.options.newTexts?.());
      state.load(source, this.options.columnFiles);
      const { newTexts, textFiles } = this.options;
      if (newTexts && textFiles) state.useKeptTexts(() => textFiles.load(entry));
    }
    if (needsTexts) state.awaitTexts(source);
    this.states.delete(entry.key);
    this.states.set(entry.key, state);
    if (this.lastOpened) this.measure(this.lastOpened);
    this.lastOpened = state;
    this.enlarged(state);
    this.evict();
    return state;
  }

  /** As `open`, for a recall. */
  attend(name: string, needsTexts = true): NamespaceState {
    const state = this.open(name, needsTexts);
    state.askedAtMs = this.nowMs();
    return state;
  }

  /** Reads a part of the change log; false when it has read all of it. */
  follow(): boolean {
    const { source, files } = this.options;
    const newest = source.revision();
    if (this.revision < source.compactedRevision()) this.close();
    if (this.states.size === 0 || this.revision > newest) this.revision = newest;
    if (this.revision === newest) return false;
    const changes = source.changes(this.revision, CHANGES_AT_ONCE);
    this.noteChanges(changes.length);
    for (const state of this.states.values()) state.beginChanges(source);
    const changed = new Set<NamespaceState>();
    for (const change of changes) {
      const state = this.states.get(change.namespaceKey);
      if (state) changed.add(state);
      if (change.kind === 'vectors_replaced') {
        files.forget(change.namespaceKey);
        state?.beginVectors(source);
      } else if (change.kind === 'namespace_erased') {
        if (state) this.letGo(state);
        files.forget(change.namespaceKey);
        this.options.textFiles?.forget(change.namespaceKey);
        this.options.columnFiles?.forget(change.namespaceKey);
        this.options.graphFiles?.forget(change.namespaceKey);
      } else {
        state?.apply(change, source);
      }
    }
    for (const state of changed) this.enlarged(state);
    this.revision = changes.at(-1)?.revision ?? newest;
    for (const state of this.states.values()) state.revision = this.revision;
    return true;
  }

  /**
   * Does a slice of the work that can wait: the change log, texts and graphs. False when there is none left for now: while
   * writes storm in, namespaces without recalls leave the processor to them.
   */
  work(budgetMs: number): boolean {
    const { source } = this.options;
    const hasFollowed = this.states.size > 0 && this.follow();
    const { isStorm } = this;
    // A storm always has changes to follow; other work nevertheless gets its share.
    if (hasFollowed && (!isStorm || this.revision < source.revision())) return true;
    for (const state of this.states.values()) {
      if (!this.workOn(state, isStorm, budgetMs)) continue;
      this.measure(state);
      this.evict();
      return true;
    }
    // Last, because a recall computes what it needs by itself.
    for (const state of this.states.values()) {
      if (isStorm && !this.isAttended(state)) continue;
      if (!state.makeMeanings(source, Math.min(budgetMs, MEANINGS_MS))) continue;
      this.measure(state);
      return true;
    }
    for (const state of this.unsettled) this.measure(state);
    if (!isStorm) this.unsettled.clear();
    this.evict();
    return false;
  }

  private workOn(state: NamespaceState, isStorm: boolean, budgetMs: number): boolean {
    const { source, waitingVectorsMax = WAITING_VECTORS_MAX } = this.options;
    if (state.readVectors(source, budgetMs)) return true;
    state.repairVectors(source);
    const isAttended = !isStorm || this.isAttended(state);
    if (isAttended && state.readTexts(source, budgetMs)) return true;
    if (isAttended && state.keptStates && state.readStates(source, budgetMs)) return true;
    if (this.isAttended(state) && state.filters.advance({ source, entry: state.entry }, budgetMs)) return true;
    const { index } = state;
    const isDue = isAttended || (index?.exactCount ?? 0) > waitingVectorsMax;
    if (isDue && state.growGraph(budgetMs)) return true;
    return isAttended && (state.growTextGraph(source, budgetMs) || state.growStateGraph(source, budgetMs));
  }

  /** Saves the columns, texts and indexes that have changed enough. */
  async save({ changesMin, share = 0, canBegin = () => true }: SaveOptions): Promise<void> {
    // The most recently used first: a stop may not have the time for all. Columns are small and needed by each recall.
    for (const state of [...this.states.values()].reverse()) {
      // Files of a namespace that was erased while others were saved must not come back.
      const mayBegin = (): boolean => canBegin() && this.states.get(state.entry.key) === state;
      if (mayBegin()) await this.saveColumns(state, changesMin);
      if (mayBegin()) await this.saveTexts(state, changesMin);
      if (mayBegin()) await this.saveVectors(state, changesMin, share);
      for (const [kind, graph] of state.graphs()) {
        if (mayBegin()) await this.saveGraph(state, kind, graph, Math.max(changesMin, share * graph.size));
      }
    }
  }

  private async saveVectors(state: NamespaceState, changesMin: number, share: number): Promise<void> {
    const { source, files } = this.options;
    const { index, revision, entry } = state;
    if (!index || !state.isVectorRead || state.unsavedChanges < Math.max(changesMin, share * index.size)) return;
    state.unsavedChanges = 0;
    await files.save(entry, index, { revision, mark: source.markAt(revision) });
  }

  private async saveGraph(state: NamespaceState, kind: GraphKind, graph: KeepableGraph, changesMin: number) {
    const { source, graphFiles } = this.options;
    const { revision, entry } = state;
    if (!graphFiles || graph.unsavedChanges < changesMin) return;
    graph.unsavedChanges = 0;
    await graphFiles.save(entry, kind, graph.toKeep(), { revision, mark: source.markAt(revision) });
  }

  private async saveColumns(state: NamespaceState, changesMin: number): Promise<void> {
    const { source, columnFiles, textsKeptMin = KEPT_MIN } = this.options;
    const { columns, revision, entry } = state;
    if (!columnFiles || state.unsavedColumns < changesMin || columns.size < textsKeptMin) return;
    state.unsavedColumns = 0;
    await columnFiles.save(entry, columns.toKeep(), { revision, mark: source.markAt(revision) });
  }

  private async saveTexts(state: NamespaceState, changesMin: number): Promise<void> {
    const { source, textFiles, textsKeptMin = KEPT_MIN } = this.options;
    const { texts, columns, revision, entry } = state;
    if (
      !textFiles ||
      !texts ||
      !state.arePassagesRead ||
      state.unsavedTexts < changesMin ||
      columns.size < textsKeptMin
    )
      return;
    state.textsSaved();
    const saved = { revision, mark: source.markAt(revision) };
    const parts: KeptTexts[] = [];
    const slices = new Slices();
    for (const part of texts.toKeep(columns.end)) {
      parts.push(part);
      await slices.rest();
      // Files of a namespace that was erased meanwhile must not come back.
      if (this.states.get(entry.key) !== state) return;
    }
    await textFiles.save(entry, parts, saved);
  }

  /** Lets go of all namespaces. */
  close(): void {
    for (const state of this.states.values()) this.letGo(state);
  }

  all(): Iterable<NamespaceState> {
    return this.states.values();
  }

  private noteChanges(count: number): void {
    const nowMs = this.nowMs();
    if (nowMs - this.countedFromMs > STORM_WITHIN_MS) {
      this.countedFromMs = nowMs;
      this.countedChanges = 0;
    }
    this.countedChanges += count;
    if (this.countedChanges >= STORM_CHANGES) this.stormUntilMs = nowMs + STORM_MS;
  }

  /** An evicted namespace is loaded again, from the store or from files, on demand. */
  private evict(): void {
    for (const state of this.states.values()) {
      if (this.bytes <= this.options.bytesMax || this.states.size === 1) return;
      this.letGo(state);
    }
  }

  /** To sum over all of them with each recall takes longer than the recall where there are thousands. */
  private measure(state: NamespaceState): void {
    if (this.states.get(state.entry.key) !== state) return;
    const { bytes } = state;
    this.bytes += bytes - state.measuredBytes;
    state.measuredBytes = bytes;
  }

  private enlarged(state: NamespaceState): void {
    this.measure(state);
    this.unsettled.add(state);
  }

  private letGo(state: NamespaceState): void {
    this.unsettled.delete(state);
    this.bytes -= state.measuredBytes;
    state.close();
    this.states.delete(state.entry.key);
  }
}
