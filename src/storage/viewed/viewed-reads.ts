import { isNamespaceMissing } from '../../memory/errors.ts';
import type { ViewFollower } from './view-follower.ts';

/** Reads of a view that is first brought to the end of the log. */
export class ViewedReads {
  private readonly follower: Pick<ViewFollower, 'during' | 'names'>;

  constructor(follower: Pick<ViewFollower, 'during' | 'names'>) {
    this.follower = follower;
  }

  one<T>(namespace: string, read: () => Promise<T>): Promise<T> {
    return this.follower.during(namespace, read);
  }

  /** Reads every namespace, one after the other: the view need not hold all of them at a time. */
  async each<T>(read: (namespace: string) => Promise<T>): Promise<T[]> {
    const parts: T[] = [];
    for (const name of [...(await this.follower.names())].sort()) {
      try {
        parts.push(await this.one(name, () => read(name)));
      } catch (error) {
        // It was deleted, and is gone from the view.
        if (!isNamespaceMissing(error)) throw error;
      }
    }
    return parts;
  }
}
