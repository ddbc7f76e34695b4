import type { Clock } from '../../memory/clock.ts';
import type { HotChanges, MirroredMemory } from '../hot-log.ts';
import type { HotStore, Mirror } from '../mirror-store.ts';

const AT_ONCE = 200;

interface Stores {
  readonly hot: HotStore;
  readonly mirror: Mirror;
  readonly clock: Clock;
}

/** Copies all that a hot namespace holds, for want of the entries that would tell what has changed. */
export async function refill(
  { hot, mirror, clock }: Stores,
  namespace: string,
  { epoch }: Pick<HotChanges, 'epoch'>,
): Promise<void> {
  const position = (await mirror.mirrorPosition(namespace))?.position ?? '0-0';
  const copy = async (copies: readonly MirroredMemory[]) => {
    // The copy of one that is damaged stays as it is: there is nothing better.
    const memories = copies.filter(({ isDamaged }) => !isDamaged);
    const write = { namespace, epoch, position, entries: [], memories, revision: 0 };
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
}
