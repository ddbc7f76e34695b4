import type { Steps } from '../../memory/slices.ts';
import type { LocalEngine } from './local-engine.ts';
import { ownerOf } from './namespace-owner.ts';
import type { NamespaceSource } from './namespace-source.ts';
import type { NamespaceState } from './namespace-state.ts';

/** Longest stretch of background work between two looks at the queue of calls. */
const SLICE_MS = 5;
/** The same while writes storm in, and the rest after it: notifications of the writes go first. */
const STORM_SLICE_MS = 1;
const STORM_REST_MS = 4;
/** Longest wait of a query for passages that are still to be read: enough for some 5 MB. Half of its time at most. */
const PASSAGES_WAIT_MS = 2000;
/** Longest wait of the first query by a state for the states of the namespace: enough for some 500,000. Half of its time at most. */
const STATES_WAIT_MS = 10_000;
/** How often the change log is read while no recall waits. */
const FOLLOW_EVERY_MS = 100;
/** Time in which a stop begins to save files: service managers kill after 10 s to 90 s. What is not saved is read from the store. */
const STOP_SAVE_MS = 5000;
/** Namespaces that are preloaded, those that changed last first. */
const WARM_NAMESPACES_MAX = 16;
/** Changed vectors of a namespace that make it worth saving its index while the server runs. */
const SAVE_CHANGES_MIN = 5000;
/** The same as a share of its vectors: saving a large index takes longer. */
const SAVE_SHARE_MIN = 0.05;

export interface SearchLoopOptions {
  readonly engine: LocalEngine;
  readonly source: NamespaceSource;
  /** The namespaces that are preloaded: those that `ownerOf` gives to `index`. */
  readonly share: { readonly index: number; readonly count: number };
  readonly saveIntervalMs: number;
  /** Called for failures; they affect no answer: a query that needs the same part fails with them by itself. */
  readonly onFault: (part: string, error: unknown) => void;
}

/**
 * Background work of the search thread: reads namespaces into memory, follows the change log, grows
 * graphs and saves them, in slices between which calls are served.
 */
export class SearchLoop {
  private readonly options: SearchLoopOptions;
  private readonly followTimer: NodeJS.Timeout;
  private readonly saveTimer: NodeJS.Timeout;
  private readonly recent: readonly string[];
  /** Those of them that are not open yet. */
  private readonly cold: string[];
  private isScheduled = false;
  private isStopped = false;
  private saving: Promise<void> = Promise.resolve();
  /** When no further file is begun. */
  private stopAtMs = Number.POSITIVE_INFINITY;

  constructor(options: SearchLoopOptions) {
    this.options = options;
    this.recent = this.recentNamespaces();
    this.cold = this.recent.toReversed();
    this.followTimer = setInterval(() => this.schedule(), FOLLOW_EVERY_MS);
    this.saveTimer = setInterval(() => this.save(SAVE_CHANGES_MIN, SAVE_SHARE_MIN), options.saveIntervalMs);
    this.schedule();
  }

  /** Stops the background work and saves unsaved data, as far as it can be begun within `STOP_SAVE_MS`. */
  async stop(): Promise<void> {
    this.isStopped = true;
    clearInterval(this.followTimer);
    clearInterval(this.saveTimer);
    this.stopAtMs = performance.now() + STOP_SAVE_MS;
    await this.saving;
    this.save(1, 0);
    await this.saving;
    this.options.engine.states.close();
  }

  /**
   * Reads the passages of a namespace's long texts, one slice a step; for two seconds at most, and the answer then
   * reports that passages are missing.
   */
  passageSteps(name: string, deadlineAtMs: number): Steps<void> {
    return this.reading(name, deadlineAtMs, PASSAGES_WAIT_MS, (state) => {
      return state.isTextRead && !state.arePassagesRead && state.readTexts(this.options.source, SLICE_MS);
    });
  }

  /** As `passageSteps`, for the states of a namespace; for ten seconds at most. */
  stateSteps(name: string, deadlineAtMs: number): Steps<void> {
    return this.reading(name, deadlineAtMs, STATES_WAIT_MS, (state) => {
      return state.readStates(this.options.source, SLICE_MS);
    });
  }

  /** `read` reads for one slice and returns false when all is read. */
  private *reading(
    name: string,
    deadlineAtMs: number,
    waitMs: number,
    read: (state: NamespaceState) => boolean,
  ): Steps<void> {
    const nowMs = Date.now();
    const untilMs = nowMs + Math.min((deadlineAtMs - nowMs) / 2, waitMs);
    while (this.readSlice(name, read) && Date.now() < untilMs) yield;
  }

  private readSlice(name: string, read: (state: NamespaceState) => boolean): boolean {
    const { engine, source } = this.options;
    source.begin();
    try {
      return source.namespace(name) !== undefined && read(engine.states.open(name));
    } finally {
      source.end();
    }
  }

  /** Opens at once all namespaces that are preloaded, and returns their names. */
  openRecent(): readonly string[] {
    while (this.cold.length > 0) this.workOnce();
    return this.recent;
  }

  /** Brings the indexes up to a part of the change log; to be called between `begin` and `end` of the source. */
  follow(): void {
    try {
      this.options.engine.states.follow();
    } catch (error) {
      this.options.onFault('index upkeep', error);
    }
  }

  /** None where they cannot be read: a recall reads its namespace itself. */
  private recentNamespaces(): string[] {
    const { source, share } = this.options;
    try {
      const recent = source.recentNamespaces(WARM_NAMESPACES_MAX * share.count);
      return recent.filter((name) => ownerOf(name, share.count) === share.index).slice(0, WARM_NAMESPACES_MAX);
    } catch (error) {
      this.options.onFault('index upkeep', error);
      return [];
    }
  }

  private schedule(): void {
    if (this.isScheduled || this.isStopped) return;
    this.isScheduled = true;
    const work = (): void => {
      this.isScheduled = false;
      if (!this.isStopped && this.workOnce()) this.schedule();
    };
    if (this.options.engine.states.canWait) setTimeout(work, STORM_REST_MS);
    else setImmediate(work);
  }

  private workOnce(): boolean {
    const { engine, source, onFault } = this.options;
    source.begin();
    try {
      const name = this.cold.pop();
      if (name !== undefined && source.namespace(name)) engine.states.open(name);
      return engine.states.work(engine.states.canWait ? STORM_SLICE_MS : SLICE_MS) || this.cold.length > 0;
    } catch (error) {
      onFault('index upkeep', error);
      return false;
    } finally {
      source.end();
    }
  }

  /** One save at a time. */
  private save(changesMin: number, share: number): void {
    const { engine, onFault } = this.options;
    this.saving = this.saving
      .then(() => engine.states.save({ changesMin, share, canBegin: () => performance.now() < this.stopAtMs }))
      .catch((error: unknown) => onFault('vector snapshot', error));
  }
}
