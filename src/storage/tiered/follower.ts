import { outsideSpans } from '../../tracing/span.ts';
import { outsideCall } from '../current-call.ts';
import { followChanges } from './follow-changes.ts';
import {
  type Followed,
  type FollowOptions,
  hasReached,
  isCurrent,
  isLikelyCurrent,
  notFollowed,
  notifyStep,
  PAUSE_MS_MIN,
  type Pace,
  paceOf,
  pausedUntilMs,
} from './followed.ts';

export interface FollowerOptions extends FollowOptions {
  /** Whether the hot store alone loses no acknowledged write, so that copies may be made later. Absent: no. */
  readonly mayLag?: () => boolean;
}

/** Updates the copies of hot memories, in the order of the hot store's changes, one step at a time. */
export class Follower {
  private readonly options: FollowerOptions;
  private readonly following: FollowOptions;
  readonly followed = new Map<string, Followed>();

  constructor(options: FollowerOptions) {
    this.options = options;
    this.following = { ...options, onFailure: (namespace, error) => this.onFailure(namespace, error) };
  }

  /** Whether the copies have everything up to a revision, except writes without an answer. */
  hasReached(namespace: string, revision: number): boolean {
    return hasReached(this.options.hot, namespace, this.stateOf(namespace), revision);
  }

  /** Runs work that moves memories in the hot store and ends with complete copies, or with nothing to copy. */
  async moving<T>(namespace: string, work: () => Promise<T>): Promise<T> {
    const state = this.stateOf(namespace);
    state.movingCount++;
    try {
      return await work();
    } finally {
      state.movingCount--;
    }
  }

  /** Revision of the hot store up to which the copies are complete. */
  revisionOf(namespace: string): number {
    return this.followed.get(namespace)?.revision ?? -1;
  }

  /** Resolves when the copies have every write that was acknowledged before the call. */
  catchUp(namespace: string): Promise<void> {
    this.stateOf(namespace).waitedForMs = performance.now();
    return this.copy(namespace);
  }

  /** The same for a waiting caller: moves that have not begun let it go first. */
  async catchUpFirst(namespace: string): Promise<void> {
    const state = this.stateOf(namespace);
    // While memories move, the copies are almost never complete.
    if (state.movingCount > 0 && (await isCurrent(this.options.hot, namespace, state))) return;
    const reading = this.catchUp(namespace);
    state.reading = reading.catch(() => undefined);
    await reading;
  }

  /**
   * While memories move: whether the copies, at the time of the call, have every write acknowledged before it. Absent
   * where this is improbable: while nothing moves, and until the last few such answers were yes.
   */
  completeNow(namespace: string): Promise<boolean> | undefined {
    const state = this.stateOf(namespace);
    return isLikelyCurrent(state) ? isCurrent(this.options.hot, namespace, state) : undefined;
  }

  /** Resolves when the last of those callers has its answer. */
  async afterReaders(namespace: string): Promise<void> {
    await this.followed.get(namespace)?.reading;
  }

  private copy(namespace: string): Promise<void> {
    const state = this.stateOf(namespace);
    clearTimeout(state.timer);
    state.timer = undefined;
    if (!state.running) {
      state.startedMs = performance.now();
      // Later callers wait for the step too.
      state.running = outsideCall(() => followChanges(this.following, namespace, state)).finally(() => {
        state.running = undefined;
        state.endedMs = performance.now();
        notifyStep(state, false);
      });
      return state.running;
    }
    // The step in progress may already have read the log.
    state.next ??= state.running
      .catch(() => undefined)
      .then(() => {
        state.next = undefined;
        return this.copy(namespace);
      });
    return state.next;
  }

  /** The same, with the copies' store at the revision of the argument or above, if the hot store has reached it. */
  async reach(namespace: string, revision: number): Promise<void> {
    await this.catchUp(namespace);
    const { hot, cold } = this.options;
    if (cold.revision >= revision || hot.revision < revision) return;
    const state = this.stateOf(namespace);
    state.floor = Math.max(state.floor, revision);
    await this.catchUp(namespace);
  }

  /** To be called before new memories are stored past the hot store because it does not answer. */
  noteDetour(namespace: string): void {
    this.stateOf(namespace).detour = Symbol(namespace);
    this.wake(namespace);
  }

  /** Resolves when the owner of memories that were stored past the hot store is certain. */
  async pastDetours(namespace: string): Promise<void> {
    if (this.followed.get(namespace)?.detour) await this.catchUp(namespace);
  }

  /** Runs work during which no copies are made: it begins with complete copies. */
  async undisturbed<T>(namespace: string, work: () => Promise<T>): Promise<T> {
    const state = this.stateOf(namespace);
    await this.catchUp(namespace);
    while (state.running) await state.running.catch(() => undefined);
    const done = work();
    const settled = done.then(
      () => undefined,
      () => undefined,
    );
    state.running = settled.finally(() => {
      state.running = undefined;
    });
    return done;
  }

  /** To be called after this number of writes; resolves at once unless the copies lag far behind. */
  async keepUp(namespace: string, count: number): Promise<void> {
    const state = this.stateOf(namespace);
    state.noted += count;
    this.wake(namespace);
    while (state.noted - state.copied > this.pace(state).behindMax) {
      const step = new Promise<boolean>((resolve) => state.onStep.add(resolve));
      if (state.running) this.wake(namespace);
      else this.catchUpAlone(namespace);
      // The write is done: its readers get the reason for the failed copy.
      if (!(await step)) return;
    }
  }

  /** `catchUp` in the background: at once, or slightly later under load. */
  wake(namespace: string): void {
    const state = this.stateOf(namespace);
    if (state.next || state.timer) return;
    const delayMs = state.running ? PAUSE_MS_MIN : pausedUntilMs(state, this.pace(state)) - performance.now();
    if (delayMs <= 0) this.catchUpAlone(namespace);
    else state.timer = setTimeout(() => this.catchUpAlone(namespace), delayMs);
  }

  /** To be called when a namespace was deleted. */
  forget(namespace: string): void {
    clearTimeout(this.followed.get(namespace)?.timer);
    this.followed.delete(namespace);
  }

  /** Called instead of the options' function when a caller retries. */
  onFailure = (namespace: string, error: unknown): void => this.options.onFailure(namespace, error);

  /** Waits for the step in progress or the next one. */
  async settled(): Promise<void> {
    for (const [namespace, state] of this.followed) {
      if (state.timer) this.catchUpAlone(namespace);
      await Promise.allSettled([state.running, state.next]);
    }
  }

  private catchUpAlone(namespace: string): void {
    outsideSpans(() => this.copy(namespace)).catch((error: unknown) => this.onFailure(namespace, error));
  }

  private pace(state: Followed): Pace {
    return paceOf(state, this.options.mayLag?.() === true, performance.now());
  }

  private stateOf(namespace: string): Followed {
    let state = this.followed.get(namespace);
    if (!state) {
      state = notFollowed();
      this.followed.set(namespace, state);
    }
    return state;
  }
}
