import type { Clock } from '../../memory/clock.ts';
import type { MirroredMemory, MirrorPosition } from '../hot-log.ts';
import type { MemoryStore } from '../memory-store.ts';
import type { HotStore, Mirror } from '../mirror-store.ts';

const AT_ONCE = 200;
/** An instant at which nothing has expired. */
const ALWAYS = 0;

interface Stores {
  readonly hot: HotStore;
  readonly cold: MemoryStore;
  readonly mirror: Mirror;
  readonly clock: Clock;
}

/**
 * After the hot store went back to an older state the cold one takes over everything: its copies are newer. What has no
 * copy is taken from the hot store, where it is younger than the copies or came after the loss, at a revision of what was lost;
 * what is older was deleted, and goes.
 */
export async function salvage(
  { hot, cold, mirror, clock }: Stores,
  namespace: string,
  followed: MirrorPosition | undefined,
): Promise<void> {
  const { epoch, position } = followed ?? { epoch: '', position: '0-0' };
  const revision = Number.parseInt(position, 10);
  for (;;) {
    const ids = await first(hot.allIds(namespace), AT_ONCE);
    if (ids.length === 0) return;
    const copies = await hot.copies({ namespace, ids });
    const known = await cold.get({
      namespace,
      ids: copies.map(({ memory }) => memory.id),
      view: 'metadata',
      nowUs: ALWAYS,
    });
    const deleted = new Set(await deletedAmong(mirror, namespace, copies, known));
    const memories = copies.filter(({ memory, isDamaged }: MirroredMemory, at) => {
      if (isDamaged) return false;
      const copied = known[at];
      return copied ? memory.revision > copied.revision : memory.revision > revision || !deleted.has(memory.id);
    });
    const write = { namespace, epoch, position, entries: [], memories, revision, atUs: clock.nowUs() };
    if (memories.length > 0) await mirror.mirror(write);
    const released = await hot.release({ namespace, copies });
    if (released.length === 0 && copies.length > 0) throw new Error('memories change while they are salvaged');
  }
}

/** Of those that have no copy. */
async function deletedAmong(
  mirror: Mirror,
  namespace: string,
  copies: readonly MirroredMemory[],
  known: readonly unknown[],
): Promise<readonly string[]> {
  const ids = copies.filter((_, at) => !known[at]).map(({ memory }) => memory.id);
  return ids.length === 0 ? ids : mirror.followedIds({ namespace, ids });
}

async function first(ids: AsyncIterable<string>, count: number): Promise<string[]> {
  const taken: string[] = [];
  for await (const id of ids) {
    taken.push(id);
    if (taken.length === count) break;
  }
  return taken;
}
