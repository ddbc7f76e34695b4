import type { ChangeLog } from '../change-log/change-log.ts';
import type { PlacedLog } from '../log-places.ts';
import type { ViewFollower } from './view-follower.ts';

/** The log of a view, which first follows the changes of all servers. */
export function followedLog(log: ChangeLog, follower: Pick<ViewFollower, 'during'>): PlacedLog {
  return {
    get revision() {
      return log.revision;
    },
    place: (namespace, revision) => log.place(namespace, revision),
    // The namespace may have been evicted since it was looked up: it has another key then.
    revisionAt: ({ name }, place) =>
      follower.during(name, async () => log.revisionAt(await log.watchedNamespace(name), place)),
    watchedNamespace: (name) => follower.during(name, () => log.watchedNamespace(name)),
  };
}
