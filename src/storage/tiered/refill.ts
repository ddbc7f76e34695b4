import type { Clock } from '../../memory/clock.ts';
import type { HotChanges, HotStore, Mirror, MirroredMemory } from '../mirror-store.ts';

const AT_ONCE = 200;

interface Stores {
  readonly hot: HotStore;
  readonly mirror: Mirror;
  readonly clock: Clock;
}

/**
 * Copies all that a hot namespace holds, for want of the entries that would tell what has changed. Who follows the copies' log
 * is told first that entries are missing, where it has been followed before and `isTold` is false. Gives the revision up to
 * which entries of the copies are not complete.
 */
export async function refill(
  { hot, mirror, clock }: Stores,
  namespace: string,
  { epoch, revision, isTold }: Pick<HotChanges, 'epoch' | 'revision'> & { readonly isTold: boolean },
): Promise<number> {
  const known = await mirror.mirrorPosition(namespace);
  const before = known ?? { epoch, position: '0-0' };
  if (known && !isTold) {
    const gapFrom = Number.parseInt(known.position, 10) + 1;
    const write = { namespace, ...known, entries: [], memories: [], revision: 0 };
    await mirror.mirror({ ...write, gapFrom, atUs: clock.nowUs() });
  }
  const copy = async (copies: readonly MirroredMemory[]) => {
    // The copy of one that is damaged stays as it is: there is nothing better.
    const memories = copies.filter(({ isDamaged }) => !isDamaged);
    const write = { namespace, epoch, position: before.position, entries: [], memories, revision: 0 };
    // Those that are long-term here already are let go of when their entry comes.
    await mirror.mirror({ ...write, atUs: clock.nowUs() });
  };
  let ids: string[] = [];
  for await (const id of hot.allIds(namespace)) {
    if (ids.push(id) < AT_ONCE) continue;
    await copy(await hot.copies({ namespace, ids }));
    ids = [];
  }
  if (ids.length > 0) await copy(await hot.copies({ namespace, ids }));
  return revision;
}
