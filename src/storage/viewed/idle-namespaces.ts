import type { RecordPosition } from '../record-log.ts';
import type { ViewFollower } from './view-follower.ts';
import type { ViewedOptions } from './viewed-options.ts';

/** Namespaces that are remembered; of more, the first ones are looked at once again. */
const REMEMBERED_MAX = 100_000;

/**
 * Namespaces of which all memories are in long-term memory: until they change, maintenance need not have their views built
 * again after an eviction.
 */
export class IdleNamespaces {
  private readonly options: Pick<ViewedOptions, 'records' | 'view'>;
  private readonly follower: Pick<ViewFollower, 'during' | 'isHeld'>;
  private readonly idleSince = new Map<string, RecordPosition>();

  constructor(options: Pick<ViewedOptions, 'records' | 'view'>, follower: Pick<ViewFollower, 'during' | 'isHeld'>) {
    this.options = options;
    this.follower = follower;
  }

  /** Whether the namespace is not in the view, and has not changed since it was idle. */
  async has(namespace: string): Promise<boolean> {
    const since = this.idleSince.get(namespace);
    if (!since || this.follower.isHeld(namespace)) return false;
    const { epoch, position, cut } = await this.options.records.changes({ namespace, since });
    const isIdle = cut === undefined && epoch === since.epoch && position === since.position;
    if (!isIdle) this.idleSince.delete(namespace);
    return isIdle;
  }

  /** To be called when maintenance has found nothing to do. */
  async note(namespace: string): Promise<void> {
    const { view } = this.options;
    await this.follower.during(namespace, async () => {
      const since = await view.copies.position(namespace);
      const isIdle = (await view.totals(namespace)).every(({ tier }) => tier === 'long_term');
      if (since && isIdle) this.remember(namespace, since);
      else this.idleSince.delete(namespace);
    });
  }

  private remember(namespace: string, since: RecordPosition): void {
    const [first] = this.idleSince.keys();
    if (this.idleSince.size >= REMEMBERED_MAX && first !== undefined) this.idleSince.delete(first);
    this.idleSince.set(namespace, since);
  }
}
