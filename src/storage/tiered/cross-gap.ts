import type { HotChanges, MirrorPosition } from '../hot-log.ts';
import { eraseDeleted } from './erase-deleted.ts';
import type { FollowOptions } from './followed.ts';
import { refill } from './refill.ts';

/**
 * Brings the copies up to where the entries are there again: does what those tell that are kept for longer, and copies all that
 * there is. Who follows the copies' log is told that entries are missing, unless it was told. True when the namespace was
 * deleted meanwhile: nothing was copied then.
 */
export async function crossGap(
  options: FollowOptions,
  namespace: string,
  changes: HotChanges,
  isTold: boolean,
): Promise<boolean> {
  const { mirror, clock } = options;
  const known = await mirror.mirrorPosition(namespace);
  if (known && !isTold) {
    const gapFrom = Number.parseInt(known.position, 10) + 1;
    const write = { namespace, ...known, entries: [], memories: [], revision: 0 };
    await mirror.mirror({ ...write, gapFrom, atUs: clock.nowUs() });
  }
  if (known && (await replayBelow(options, namespace, changes, known, isTold))) return true;
  await refill(options, namespace, changes);
  return false;
}

/** What is no longer in the hot store was deleted, or moved down: only the entries tell which. */
async function replayBelow(
  options: FollowOptions,
  namespace: string,
  { entries: after, isThere }: HotChanges,
  since: MirrorPosition,
  isTold: boolean,
): Promise<boolean> {
  const { hot, mirror, clock } = options;
  const untilRevision = after[0]?.revision ?? Number.POSITIVE_INFINITY;
  let isMissed = false;
  /** Updates whose state is no longer kept, but for those that nothing is left of. */
  const unknown = new Set<string>();
  for await (const { entries, isComplete } of hot.changesBelow({ namespace, since, untilRevision })) {
    await mirror.mirror({ namespace, ...since, entries, memories: [], revision: 0, atUs: clock.nowUs() });
    if (await eraseDeleted(options, namespace, { entries, isThere })) return true;
    for (const { kind, id, state } of entries) {
      if (kind === 'rewritten' && !state) unknown.add(id);
      else unknown.delete(id);
    }
    isMissed ||= !isComplete;
  }
  isMissed ||= (await mirror.known({ namespace, ids: [...unknown] })).length > 0;
  if (isMissed && !isTold) options.onLoss(namespace, 'gap');
  return eraseDeleted(options, namespace, { entries: after, isThere });
}
