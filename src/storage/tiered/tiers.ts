import { isSound } from '../../memory/checksum.ts';
import {
  type ErrorReason,
  isDamage,
  isNamespaceMissing,
  isOwnerChanged,
  isUnavailable,
  MnemeError,
} from '../../memory/errors.ts';
import { type Embedding, type Memory, TIERS, type Tier } from '../../memory/memory.ts';
import type { Resolution } from '../../memory/resolution/resolution.ts';
import { tierPolicyOf } from '../../memory/tier-settings.ts';
import { hasSameBytes } from '../changed-memory.ts';
import type { MirroredMemory } from '../hot-log.ts';
import type { HotStore, Mirror } from '../mirror-store.ts';
import type {
  Claim,
  MembersRead,
  MoveOutcome,
  MoveWrite,
  NamespaceSize,
  TierMember,
  TierStore,
  TierTotal,
} from '../tier-store.ts';
import { despiteLoss } from './despite-loss.ts';
import type { Follower } from './follower.ts';
import type { Ownership } from './ownership.ts';

export interface TieredTiersOptions {
  readonly hot: HotStore;
  readonly cold: TierStore & Mirror;
  readonly ownership: Ownership;
  readonly follower: Follower;
  readonly revision: () => number;
  /** Fails with NAMESPACE_NOT_FOUND. */
  readonly checkThere: (namespace: string) => Promise<unknown>;
  /** False while the cold store has to own the memories of a namespace. */
  readonly mayRise: (namespace: string) => Promise<boolean>;
}

interface Moved {
  readonly outcome: MoveOutcome;
  /** Memories that the cold store owned. */
  readonly coldIds: readonly string[];
}

/** How often a move looks for the owner of its memories. */
const LOOKS_MAX = 20;

/**
 * Tiers over two stores. For a move down to long-term memory, the cold store becomes the owner first; for a move up
 * from it, the tier changes first, and then the hot store becomes the owner. No move locks: each step is conditional on
 * the owner, in the store that makes it.
 */
export class TieredTiers implements TierStore {
  private readonly options: TieredTiersOptions;

  constructor(options: TieredTiersOptions) {
    this.options = options;
  }

  move(write: MoveWrite): Promise<MoveOutcome> {
    return despiteLoss(this.options.follower, write.namespace, () => this.moveOnce(write));
  }

  private async moveOnce(write: MoveWrite): Promise<MoveOutcome> {
    const { follower, revision } = this.options;
    const { namespace } = write;
    await follower.afterReaders(namespace);
    const { outcome, coldIds } = await follower.moving(namespace, () => this.moveAtOwners(write));
    const damaged = new Set(write.to === 'long_term' ? [] : await this.risen(write, outcome, coldIds));
    return {
      revision: revision(),
      moved: outcome.moved.filter(({ id }) => !damaged.has(id)),
      // A damaged memory of the cold store is detected in the move, and again when it is to pass to the hot store.
      damagedIds: [...new Set([...outcome.damagedIds, ...damaged])],
    };
  }

  /**
   * Passes memories of the upper tiers that were used while the cold store owned them to the hot store. If that is
   * full, or they change too fast, they stay until they are used again.
   */
  async bringUp(namespace: string, ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    try {
      await raise(this.raising, { namespace, ids, resolutionOf: await this.resolutions(namespace) });
    } catch (error) {
      if (!(error instanceof MnemeError) || !LEFT_BELOW.has(error.reason)) throw error;
    }
  }

  private get raising() {
    const { hot, cold: mirror, follower, ownership, mayRise } = this.options;
    return { hot, mirror, follower, ownership, mayRise };
  }

  /**
   * Passes raised memories to the hot store, including earlier ones that did not get there, for example because the
   * process ended. A refusal, as by a full hot store, leaves all with their owners.
   */
  private async risen(
    write: MoveWrite,
    { moved }: MoveOutcome,
    coldIds: readonly string[],
  ): Promise<readonly string[]> {
    const { cold } = this.options;
    const { namespace, to, resolution } = write;
    const sunk = new Set(moved.filter(({ from }) => TIERS.indexOf(from) < TIERS.indexOf(to)).map(({ id }) => id));
    const ids = coldIds.filter((id) => !sunk.has(id));
    if (ids.length === 0) return [];
    try {
      return await raise(this.raising, { namespace, ids, resolutionOf: () => resolution });
    } catch (error) {
      if (!(error instanceof MnemeError) || isUnavailable(error)) throw error;
      const resolutionOf = await this.resolutions(namespace);
      const risen = moved.filter(({ id }) => ids.includes(id));
      for (const [from, group] of Map.groupBy(risen, (one) => one.from)) {
        const back = { ...write, ids: group.map(({ id }) => id), to: from, from: [to] };
        await cold.move({ ...back, resolution: resolutionOf(from), mustOwn: true });
      }
      throw error;
    }
  }

  private async resolutions(namespace: string): Promise<(tier: Tier) => Resolution> {
    const { cold } = this.options;
    const policy = tierPolicyOf(await cold.tierSettings(''), await cold.tierSettings(namespace));
    return (tier) => policy.rules[tier].resolution;
  }

  /** Memories that change their store meanwhile are looked up again; those that go on changing stay where they are. */
  private async moveAtOwners(write: MoveWrite): Promise<Moved> {
    const { ownership, revision } = this.options;
    const steps: Moved[] = [];
    let { ids } = write;
    for (let looks = 0; ids.length > 0 && looks < LOOKS_MAX; looks++) {
      if (looks > 0) await ownership.settle(write.namespace, ids);
      const step = await this.moveWhereTheyAre({ ...write, ids });
      steps.push(step);
      ids = step.outcome.elsewhereIds ?? [];
    }
    const [only] = steps;
    if (only && steps.length === 1) return only;
    const moved = new Map(steps.flatMap(({ outcome }) => outcome.moved).map((one) => [one.id, one]));
    const outcome = {
      revision: revision(),
      moved: write.ids.flatMap((id) => moved.get(id) ?? []),
      damagedIds: steps.flatMap(({ outcome: { damagedIds } }) => damagedIds),
    };
    return { outcome, coldIds: steps.flatMap(({ coldIds }) => coldIds) };
  }

  private async moveWhereTheyAre(write: MoveWrite): Promise<Moved> {
    const { cold, ownership, follower, revision } = this.options;
    const { namespace, ids, from, atUs } = write;
    await this.options.checkThere(namespace);
    const isMeant = ({ tier, expiresAtUs = Infinity }: Memory) =>
      tier !== write.to && (!from || from.includes(tier)) && expiresAtUs > atUs;
    const goesBelow = write.to === 'long_term';
    const taken = goesBelow ? await ownership.takeOverCopied(namespace, ids, isMeant) : { ids: [], claims: [] };
    const copied = new Set(taken.ids);
    const outcomes: MoveOutcome[] = goesBelow ? [] : await this.movesInHot(write);
    const settled = outcomes.flatMap(({ moved, damagedIds }) => [...moved.map(({ id }) => id), ...damagedIds]);
    const isInHot = settled.length > 0;
    const left = ids.filter((id) => !copied.has(id) && !settled.includes(id));
    const found = left.length > 0 ? await ownership.hotOf(namespace, left) : new Map<string, Memory>();
    const hotIds = new Set(goesBelow ? [...found.values()].filter(isMeant).map(({ id }) => id) : []);
    // A constantly changing memory is in use: the next move takes it, and the others go now.
    const { damagedIds, restlessIds } = await ownership.takeOverMost(namespace, [...hotIds]);
    const stayed = new Set([...damagedIds, ...restlessIds]);
    const others = left.filter((id) => !found.has(id));
    const coldIds = others.length > 0 ? await ownership.coldOf(namespace, others) : [];
    const takenOver = ids.filter((id) => copied.has(id) || (hotIds.has(id) && !stayed.has(id)));
    const inCold = [...takenOver, ...coldIds];
    const written = { ...write, ids: inCold, released: taken.claims, mustOwn: true };
    if (inCold.length > 0) outcomes.push(await cold.move(written));
    // A released memory has nothing more to copy.
    if (goesBelow) follower.wake(namespace);
    else if (isInHot) await follower.catchUp(namespace);
    const moved = new Map(outcomes.flatMap((outcome) => outcome.moved).map((one) => [one.id, one]));
    const outcome = {
      revision: revision(),
      moved: ids.flatMap((id) => moved.get(id) ?? []),
      damagedIds: [...damagedIds, ...outcomes.flatMap(({ damagedIds }) => damagedIds)],
      elsewhereIds: outcomes.flatMap(({ elsewhereIds = [] }) => elsewhereIds),
    };
    const elsewhere = new Set(outcome.elsewhereIds);
    return { outcome, coldIds: inCold.filter((id) => !elsewhere.has(id)) };
  }

  /** Memories or namespaces that the hot store lacks are skipped there. */
  private async movesInHot(write: MoveWrite): Promise<MoveOutcome[]> {
    const { hot, follower } = this.options;
    await follower.pastDetours(write.namespace);
    try {
      return [await hot.move(write)];
    } catch (error) {
      if (isNamespaceMissing(error)) return [];
      throw error;
    }
  }

  async members(read: MembersRead): Promise<TierMember[]> {
    await this.options.follower.catchUp(read.namespace);
    return this.options.cold.members(read);
  }
  async totals(namespace?: string): Promise<TierTotal[]> {
    const { follower } = this.options;
    await (namespace === undefined ? follower.settled() : follower.catchUp(namespace));
    return this.options.cold.totals(namespace);
  }
  async size(namespace: string): Promise<NamespaceSize> {
    await this.options.follower.catchUp(namespace);
    return this.options.cold.size(namespace);
  }
  tierSettings(namespace: string): Promise<ReadonlyMap<string, string>> {
    return this.options.cold.tierSettings(namespace);
  }
  setTierSettings(write: Parameters<TierStore['setTierSettings']>[0]): Promise<void> {
    return this.options.cold.setTierSettings(write);
  }
  setMaintained(write: Parameters<TierStore['setMaintained']>[0]): Promise<void> {
    return this.options.cold.setMaintained(write);
  }
  maintainedAtUs(namespace: string): Promise<number | undefined> {
    return this.options.cold.maintainedAtUs(namespace);
  }
}

/** Reasons for which a used memory stays in the cold store. */
const LEFT_BELOW: ReadonlySet<ErrorReason> = new Set(['STORAGE_FULL', 'OVERLOADED']);

export interface RaiseOptions {
  readonly hot: HotStore;
  readonly mirror: Mirror;
  readonly follower: Follower;
  readonly ownership: Ownership;
  /** False while the cold store has to own the memories of a namespace. */
  readonly mayRise: (namespace: string) => Promise<boolean>;
}

export interface RaiseRequest {
  readonly namespace: string;
  readonly ids: readonly string[];
  /** The form in which the tiers store them. */
  readonly resolutionOf: (tier: Tier) => Resolution;
}

const AT_ONCE = 100;

/**
 * Makes the hot store the owner of memories of its tiers that the cold store owns: the cold store claims them, and
 * refuses writes of them from then on; the hot store adopts complete copies, verified by their checksum. A differing
 * copy is released again. If the move ends in between, `Ownership.settle` makes the cold store the owner again. Returns
 * the ids of damaged memories, which stay. Memories that the hot store owns already are skipped.
 */
async function raise(options: RaiseOptions, request: RaiseRequest): Promise<string[]> {
  const { namespace, ids } = request;
  const damagedIds: string[] = [];
  for (let from = 0; from < ids.length; from += AT_ONCE) {
    damagedIds.push(...(await raiseSome(options, { ...request, ids: ids.slice(from, from + AT_ONCE) })));
  }
  if (ids.length > 0) await options.follower.catchUp(namespace);
  return damagedIds;
}

async function raiseSome(options: RaiseOptions, request: RaiseRequest): Promise<string[]> {
  const { hot, mirror, follower, ownership, mayRise } = options;
  const { namespace } = request;
  const damagedIds: string[] = [];
  let { ids } = request;
  for (let looks = 0; ids.length > 0 && looks < LOOKS_MAX; looks++) {
    if (!(await mayRise(namespace))) return damagedIds;
    await follower.catchUp(namespace);
    const seen = await keyspaceOwnership(hot, namespace);
    const claims = await mirror.claim({ namespace, ids });
    const claimed = new Set(claims.map(({ id }) => id));
    try {
      if (claims.length > 0) damagedIds.push(...(await adoptClaimed(options, request, claims, seen)));
    } catch (error) {
      if (!isOwnerChanged(error)) throw error;
      continue;
    }
    // Of an earlier move that did not finish.
    ids = await ownership.settle(
      namespace,
      ids.filter((id) => !claimed.has(id)),
    );
  }
  if (ids.length === 0) return damagedIds;
  throw new MnemeError(
    'OVERLOADED',
    `memories of namespaces/${namespace} change their store faster than they can move`,
  );
}

/** The ownership of a namespace by the hot store, which has data of it from then on. */
async function keyspaceOwnership(hot: HotStore, namespace: string): Promise<string> {
  const read = async () => (await hot.find({ namespace, ids: [], view: 'metadata' })).ownership;
  const known = await read();
  if (known !== '') return known;
  await hot.fence(namespace);
  return read();
}

/** Returns the ids of damaged memories. Where the hot store does not adopt the others, they are not claimed any more. */
async function adoptClaimed(
  { hot, mirror }: RaiseOptions,
  { namespace, resolutionOf }: RaiseRequest,
  claims: readonly Claim[],
  ownership: string,
): Promise<string[]> {
  const copies: MirroredMemory[] = [];
  const damagedIds: string[] = [];
  for (const { id } of claims) {
    const copy = await copyOf(mirror, namespace, id);
    if (copy === 'damaged') damagedIds.push(id);
    if (copy && copy !== 'damaged') copies.push({ ...copy, resolution: resolutionOf(copy.memory.tier) });
  }
  const sent = new Map(copies.map((copy) => [copy.memory.id, copy]));
  const stayed = new Set(claims.flatMap(({ id }) => (sent.has(id) ? [] : [id])));
  const end = (ids: ReadonlySet<string>) =>
    mirror.disclaim({ namespace, claims: claims.filter(({ id }) => ids.has(id)) });
  if (stayed.size > 0) await end(stayed);
  if (copies.length === 0) return damagedIds;
  let adoptedIds: readonly string[];
  try {
    adoptedIds = await hot.adopt({ namespace, copies, ownership });
  } catch (error) {
    // Without an answer, the hot store may own them.
    if (error instanceof MnemeError && !isUnavailable(error)) await end(new Set(sent.keys()));
    throw error;
  }
  const wrong = (await hot.copies({ namespace, ids: adoptedIds })).filter(
    (copy) => !isSame(copy, sent.get(copy.memory.id)),
  );
  if (wrong.length > 0) await end(new Set(await hot.release({ namespace, copies: wrong })));
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

/** As soon as it is there, other writes may change it. */
function isSame(copy: MirroredMemory, sent: MirroredMemory | undefined): boolean {
  if (!sent || copy.memory.revision !== sent.memory.revision) return true;
  return isSound(copy.memory) && hasSameValues(copy.memory.embedding, sent.memory.embedding);
}

function hasSameValues(one: Embedding | undefined, other: Embedding | undefined): boolean {
  if (!one || !other) return !other;
  return one.model === other.model && hasSameBytes(one.values, other.values);
}
