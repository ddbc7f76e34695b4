import type { Clock } from '../../memory/clock.ts';
import type { MemoryStore } from '../memory-store.ts';
import type { HotLoss, HotStore, Mirror, MirrorPosition } from '../mirror-store.ts';
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

interface Followed {
  /** What is under way, and whether it began before the last question. */
  running: Promise<void> | undefined;
  next: Promise<void> | undefined;
  position: MirrorPosition | undefined;
  isRead: boolean;
  /** Revision up to which the copies are complete. */
  revision: number;
}

/** Brings the copies of hot memories up to date, in the order of the hot store's changes, one step at a time. */
export class Follower {
  private readonly options: FollowerOptions;
  private readonly followed = new Map<string, Followed>();

  constructor(options: FollowerOptions) {
    this.options = options;
  }

  /** Whether the copies have everything up to a revision. */
  hasReached(namespace: string, revision: number): boolean {
    return (this.followed.get(namespace)?.revision ?? -1) >= revision;
  }

  /** Resolves when the copies have everything that was acknowledged before the call. */
  catchUp(namespace: string): Promise<void> {
    const state = this.stateOf(namespace);
    if (!state.running) {
      state.running = this.follow(namespace, state).finally(() => {
        state.running = undefined;
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

  /** The same without anybody waiting. */
  wake(namespace: string): void {
    if (this.followed.get(namespace)?.next) return;
    this.catchUp(namespace).catch((error: unknown) => this.options.onFailure(namespace, error));
  }

  /** To be called when a namespace was deleted. */
  forget(namespace: string): void {
    this.followed.delete(namespace);
  }

  /** Waits for what is under way. */
  async settled(): Promise<void> {
    for (const { running, next } of this.followed.values()) await Promise.allSettled([running, next]);
  }

  private async follow(namespace: string, state: Followed): Promise<void> {
    const { hot, mirror, clock } = this.options;
    if (!state.isRead) {
      state.position = await mirror.mirrorPosition(namespace);
      state.isRead = true;
    }
    for (;;) {
      const changes = await hot.changes({ namespace, ...(state.position && { since: state.position }) });
      if (changes.loss) await this.makeGood(namespace, changes.loss, state);
      const { epoch, position, revision, memories, deletedIds, hasMore } = changes;
      if (memories.length > 0 || deletedIds.length > 0 || position !== state.position?.position) {
        const write = { namespace, epoch, position, memories, deletedIds, revision, atUs: clock.nowUs() };
        await mirror.mirror(write);
        state.position = { epoch, position };
      }
      if (!hasMore) {
        state.revision = revision;
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
      state = { running: undefined, next: undefined, position: undefined, isRead: false, revision: -1 };
      this.followed.set(namespace, state);
    }
    return state;
  }
}
