import { isSound } from '../../memory/checksum.ts';
import { isDamage, MnemeError } from '../../memory/errors.ts';
import type { Embedding, Tier } from '../../memory/memory.ts';
import type { Resolution } from '../../memory/resolution/resolution.ts';
import { ChangedBelow } from '../changed-below.ts';
import type { MirroredMemory } from '../hot-log.ts';
import type { HotStore, Mirror } from '../mirror-store.ts';
import { hasSameBytes } from '../same-memory.ts';
import type { Follower } from './follower.ts';
import type { HomeLock } from './home-lock.ts';

export interface RaiseOptions {
  readonly hot: HotStore;
  readonly mirror: Mirror;
  readonly follower: Follower;
  readonly lock: HomeLock;
  /** False while the memories of a namespace have to be at home in the cold store. */
  readonly mayRise: (namespace: string) => Promise<boolean>;
}

export interface RaiseRequest {
  readonly namespace: string;
  readonly ids: readonly string[];
  /** In what form the tiers keep them. */
  readonly resolutionOf: (tier: Tier) => Resolution;
}

const AT_ONCE = 100;
const ATTEMPTS_MAX = 50;

/**
 * Makes the hot store the home of memories of its tiers that are at home in the cold one. They are copied whole, their bytes
 * are compared with their checksum, and as soon as the hot store has them they are at home there: what the cold store has
 * is their copy from then on. What came out otherwise than it went in is let go of again. Gives the ids of memories whose
 * bytes are damaged: they stay. A memory that is at home in the hot store already is passed over.
 */
export async function raise(options: RaiseOptions, request: RaiseRequest): Promise<string[]> {
  const { namespace, ids } = request;
  const damagedIds: string[] = [];
  for (let from = 0; from < ids.length; from += AT_ONCE) {
    const some = { ...request, ids: ids.slice(from, from + AT_ONCE) };
    damagedIds.push(...(await untilUnchanged(options, some)));
  }
  if (ids.length > 0) await options.follower.catchUp(namespace);
  return damagedIds;
}

/** What another server acknowledges of them until the hot store has them is followed first. */
async function untilUnchanged(options: RaiseOptions, request: RaiseRequest): Promise<string[]> {
  const { namespace } = request;
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
    try {
      return await options.lock.change(namespace, () => raiseSome(options, request));
    } catch (error) {
      if (!(error instanceof ChangedBelow)) throw error;
    }
  }
  throw new MnemeError('OVERLOADED', `too many memories of namespaces/${namespace} change their tier at once`);
}

async function raiseSome(
  { hot, mirror, follower, mayRise }: RaiseOptions,
  { namespace, ids, resolutionOf }: RaiseRequest,
): Promise<string[]> {
  if (!(await mayRise(namespace))) return [];
  await follower.catchUp(namespace);
  const followedRevision = follower.revisionOf(namespace);
  const damagedIds: string[] = [];
  const copies: MirroredMemory[] = [];
  for (const id of ids) {
    const copy = await copyOf(mirror, namespace, id);
    if (copy === 'damaged') damagedIds.push(id);
    else if (copy && copy.memory.tier !== 'long_term') {
      copies.push({ ...copy, resolution: resolutionOf(copy.memory.tier) });
    }
  }
  if (copies.length === 0) return damagedIds;
  const adoptedIds = await hot.adopt({ namespace, copies, followedRevision });
  const sent = new Map(copies.map((copy) => [copy.memory.id, copy]));
  const wrong = (await hot.copies({ namespace, ids: adoptedIds })).filter(
    (copy) => !isSame(copy, sent.get(copy.memory.id)),
  );
  if (wrong.length > 0) await hot.release({ namespace, copies: wrong });
  return [...damagedIds, ...wrong.map(({ memory }) => memory.id)];
}

async function copyOf(mirror: Mirror, namespace: string, id: string): Promise<MirroredMemory | 'damaged' | undefined> {
  try {
    const [copy] = await mirror.copies({ namespace, ids: [id] });
    return copy && !isSound(copy.memory) ? 'damaged' : copy;
  } catch (error) {
    if (isDamage(error)) return 'damaged';
    throw error;
  }
}

/** From the moment that it is there others may change it. */
function isSame(copy: MirroredMemory, sent: MirroredMemory | undefined): boolean {
  if (!sent || copy.memory.revision !== sent.memory.revision) return true;
  return isSound(copy.memory) && hasSameValues(copy.memory.embedding, sent.memory.embedding);
}

function hasSameValues(one: Embedding | undefined, other: Embedding | undefined): boolean {
  if (!one || !other) return !other;
  return one.model === other.model && hasSameBytes(one.values, other.values);
}
