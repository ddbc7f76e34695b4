import type { ChangeLog } from '../../change-log/change-log.ts';
import type { PlacedLog } from '../log-places.ts';
import type { ViewFollower } from './view-follower.ts';

/** The log of a view, which first follows the changes of all servers. */
export function followedLog(log: ChangeLog, follower: Pick<ViewFollower, 'catchUp'>): PlacedLog {
  return {
    get revision() {
      return log.revision;
    },
    place: (namespace, revision) => log.place(namespace, revision),
    revisionAt: (namespace, place) => log.revisionAt(namespace, place),
    async watchedNamespace(name) {
      await follower.catchUp(name);
      return log.watchedNamespace(name);
    },
  };
}
