import type { Clock } from '../../memory/clock.ts';
import { MnemeError } from '../../memory/errors.ts';
import type { MemoryStore } from '../memory-store.ts';
import type { HotLoss, HotStore, Mirror } from '../mirror-store.ts';
import { eraseDeleted } from './erase-deleted.ts';
import { type Followed, notFollowed, PAUSE_MS_MIN, pausedUntilMs } from './followed.ts';
import { refill } from './refill.ts';
import { salvage } from './salvage.ts';

export interface FollowerOptions {
  readonly hot: HotStore;
  readonly cold: MemoryStore;
  readonly mirror: Mirror;
  readonly clock: Clock;
  /** Told when the hot store has lost something, after what the copies have of it was made good. */
  readonly onLoss: (namespace: string, loss: HotLoss) => void;
  /** Told when copies could not be brought up to date without anybody waiting for it. */
  readonly onFailure: (namespace: string, error: unknown) => void;
}

const ROUNDS_MAX = 20;
/** Changes after which writers wait for the copies: far fewer than the change log of the hot store holds. */
const BEHIND_MAX = 2000;

/** Brings the copies of hot memories up to date, in the order of the hot store's changes, one step at a time. */
export class Follower {
  private readonly options: FollowerOptions;
  private readonly followed = new Map<string, Followed>();

  constructor(options: FollowerOptions) {
    this.options = options;
  }

  /** Whether the copies have everything up to a revision. */
  hasReached(namespace: string, revision: number): boolean {
    return this.revisionOf(namespace) >= revision;
  }

  /** Revision of the hot store up to which the copies have everything. */
  revisionOf(namespace: string): number {
    return this.followed.get(namespace)?.revision ?? -1;
  }

  /** Resolves when the copies have everything that was acknowledged before the call. */
  catchUp(namespace: string): Promise<void> {
    const state = this.stateOf(namespace);
    clearTimeout(state.timer);
    state.timer = undefined;
    if (!state.running) {
      const startedMs = performance.now();
      state.running = this.follow(namespace, state).finally(() => {
        state.running = undefined;
        state.pausedUntilMs = pausedUntilMs(startedMs, performance.now());
      });
      return state.running;
    }
    // What is under way may have looked already.
    state.next ??= state.running
      .catch(() => undefined)
      .then(() => {
        state.next = undefined;
        return this.catchUp(namespace);
      });
    return state.next;
  }

  /** The same, and the revision of the copies' store is at least the one given, if the hot store has come so far. */
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

  /** Resolves when it is certain where memories are at home that were stored past the hot store. */
  async pastDetours(namespace: string): Promise<void> {
    if (this.followed.get(namespace)?.detour) await this.catchUp(namespace);
  }

  /** Does work during which no copies are made: it begins with the copies up to date. */
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

  /** To be called after so many memories were written; resolves at once unless the copies are far behind. */
  async keepUp(namespace: string, count: number): Promise<void> {
    const state = this.stateOf(namespace);
    state.behind += count;
    this.wake(namespace);
    // What was written is written: whoever reads it is told why it cannot be copied.
    if (state.behind > BEHIND_MAX) await this.catchUp(namespace).catch(() => undefined);
  }

  /** The same as `catchUp` without anybody waiting: at once, or a moment later while there is a lot to do. */
  wake(namespace: string): void {
    const state = this.stateOf(namespace);
    if (state.next || state.timer) return;
    const delayMs = state.running ? PAUSE_MS_MIN : state.pausedUntilMs - performance.now();
    if (delayMs <= 0) this.catchUpAlone(namespace);
    else state.timer = setTimeout(() => this.catchUpAlone(namespace), delayMs);
  }

  /** To be called when a namespace was deleted. */
  forget(namespace: string): void {
    clearTimeout(this.followed.get(namespace)?.timer);
    this.followed.delete(namespace);
  }

  /** Told in place of the options' when somebody tries again. */
  onFailure = (namespace: string, error: unknown): void => this.options.onFailure(namespace, error);

  /** Waits for what is under way or to come. */
  async settled(): Promise<void> {
    for (const [namespace, state] of this.followed) {
      if (state.timer) this.catchUpAlone(namespace);
      await Promise.allSettled([state.running, state.next]);
    }
  }

  private catchUpAlone(namespace: string): void {
    this.catchUp(namespace).catch((error: unknown) => this.onFailure(namespace, error));
  }

  private async follow(namespace: string, state: Followed): Promise<void> {
    const { hot, mirror, clock } = this.options;
    if (!state.isRead) {
      state.position = await mirror.mirrorPosition(namespace);
      state.isRead = true;
    }
    const { detour, behind } = state;
    if (detour) await hot.fence(namespace);
    for (let rounds = 0; ; ) {
      const changes = await hot.changes({ namespace, ...(state.position && { since: state.position }) });
      if (state.position && (await eraseDeleted(this.options, namespace, changes))) {
        Object.assign(state, { position: undefined, revision: changes.revision });
        if (changes.isThere) continue;
        return;
      }
      if (changes.loss) await this.makeGood(namespace, changes.loss, state);
      const { epoch, position, entries, memories, isGapped, hasMore } = changes;
      const revision = Math.max(changes.revision, state.floor);
      const completeFrom = isGapped ? await refill(this.options, namespace, changes) : undefined;
      if (entries.length > 0 || position !== state.position?.position || state.floor > 0) {
        const write = { namespace, epoch, position, entries, memories, revision, atUs: clock.nowUs() };
        const { ownIds } = await mirror.mirror({ ...write, ...(completeFrom !== undefined && { completeFrom }) });
        if (ownIds.length > 0) {
          if (rounds++ === ROUNDS_MAX)
            throw new MnemeError('OVERLOADED', 'memories change faster than they can be moved');
          await hot.release({ namespace, copies: memories.filter(({ memory }) => ownIds.includes(memory.id)) });
          continue;
        }
        state.floor = 0;
        state.position = { epoch, position };
      }
      if (!hasMore) {
        state.revision = changes.revision;
        state.behind -= behind;
        if (state.detour === detour) state.detour = undefined;
        return;
      }
    }
  }

  /** What was acknowledged and copied is not lost: the copies take the place of what the hot store still has. */
  private async makeGood(namespace: string, loss: HotLoss, state: Followed): Promise<void> {
    const { hot } = this.options;
    if (loss === 'rolled_back') await salvage(this.options, namespace, state.position);
    if (loss !== 'gap') hot.recovered(namespace);
    this.options.onLoss(namespace, loss);
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
