import type { ChangeLog } from '../change-log/change-log.ts';
import type { PlacedLog } from '../log-places.ts';
import type { RecordCopies } from '../record-copies.ts';
import type { Records } from '../records.ts';
import { withMethods } from '../with-methods.ts';
import type { ViewFollower } from './view-follower.ts';

interface View extends Pick<Records, 'getNamespace'> {
  readonly copies: Pick<RecordCopies, 'position'>;
}

/**
 * The log of a view. A place in it from before the namespace was evicted is found as a place of another server is: by
 * the log that all servers share.
 */
export function viewedLog(log: ChangeLog, view: View): ChangeLog {
  return withMethods(log, {
    async revisionAt(namespace, place) {
      const { name } = namespace;
      if (place.epoch === '') return log.revisionAt(namespace, place);
      // The row of a namespace in a view has the revision of its making.
      const [position, { revision }] = await Promise.all([view.copies.position(name), view.getNamespace(name)]);
      const isOfFormerView = position?.epoch === place.epoch && place.revision < revision;
      return log.revisionAt(namespace, isOfFormerView ? { ...place, log: '' } : place);
    },
  });
}

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
