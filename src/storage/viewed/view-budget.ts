import { outsideCall } from '../current-call.ts';
import type { ViewFollower } from './view-follower.ts';
import type { ViewedOptions } from './viewed-options.ts';

/** Time between two looks at the space. */
const LOOK_EVERY_MS = 5000;

export interface ViewBudgetOptions extends Pick<ViewedOptions, 'view' | 'diskBytesMax' | 'onFailure'> {
  readonly follower: Pick<ViewFollower, 'evictLeastUsed'>;
}

/** Keeps a view within its space: evicts the namespaces whose last use is longest ago, but none that is in use. */
export class ViewBudget {
  private readonly options: ViewBudgetOptions;
  private readonly timer: NodeJS.Timeout;
  private looking: Promise<void> | undefined;
  private isEnded = false;
  private evicted = 0;
  private space = 0;

  constructor(options: ViewBudgetOptions) {
    this.options = options;
    this.timer = setInterval(() => void this.look(), LOOK_EVERY_MS);
    this.timer.unref();
  }

  /** Namespaces evicted since the start of the server. */
  get evictedCount(): number {
    return this.evicted;
  }

  /** As of the last look. */
  get bytes(): number {
    return this.space;
  }

  /** Resolves when the view is within its space, or nothing more can be evicted. */
  look(): Promise<void> {
    this.looking ??= outsideCall(() => this.keepWithin())
      .catch((error: unknown) => this.options.onFailure('-', error))
      .finally(() => {
        this.looking = undefined;
      });
    return this.looking;
  }

  async end(): Promise<void> {
    this.isEnded = true;
    clearInterval(this.timer);
    await this.looking;
  }

  private async keepWithin(): Promise<void> {
    const { view, follower, diskBytesMax, onFailure } = this.options;
    while (!this.isEnded) {
      // Files that stay count, and the next look tries again.
      await view.dropFilesOfDeleted().catch((error: unknown) => onFailure('-', error));
      const { bytes, isErasing } = await view.space();
      this.space = bytes;
      if (diskBytesMax === 0 || bytes <= diskBytesMax) return;
      if (isErasing) await this.eraseAll();
      else if (!(await follower.evictLeastUsed())) return;
      else this.evicted++;
    }
  }

  /** In small steps, between which other writes have their turn. */
  private async eraseAll(): Promise<void> {
    while (!this.isEnded && !(await this.options.view.eraseLeftovers()).isDone);
  }
}
