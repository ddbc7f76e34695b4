import { utf8BodyBytesOf } from '../../memory/checksum.ts';
import { type Micros, TIERS } from '../../memory/memory.ts';
import { rewardOf, surpriseOf } from '../../memory/tier-policy.ts';
import { changed, type TierSettings } from '../../memory/tier-settings.ts';
import type { Entry, NamespaceContents } from '../rules/draft.ts';
import { moveMemories } from '../rules/write-memories.ts';
import type {
  MembersRead,
  MoveOutcome,
  MoveWrite,
  NamespaceSize,
  TierMember,
  TierStore,
  TierTotal,
} from '../tier-store.ts';
import type { AllNamespaces } from './all-namespaces.ts';

/** Tiers of memories, all stored at full resolution. */
export class InMemoryTiers implements TierStore {
  private readonly namespaces: AllNamespaces;
  /** Settings for all namespaces. */
  private settings: TierSettings = new Map();
  private readonly maintained = new Map<string, Micros>();

  constructor(namespaces: AllNamespaces) {
    this.namespaces = namespaces;
  }

  async move(write: MoveWrite): Promise<MoveOutcome> {
    return this.namespaces.once(write.namespace, write, undefined, () =>
      this.namespaces.change(write.namespace, (draft) => moveMemories(draft, write), write.atUs),
    );
  }

  async members(read: MembersRead): Promise<TierMember[]> {
    return membersOf(this.namespaces.get(read.namespace), read);
  }

  async totals(namespace?: string): Promise<TierTotal[]> {
    const namespaces = namespace === undefined ? this.namespaces.all() : [this.namespaces.get(namespace)];
    return namespaces.flatMap(totalsOf);
  }

  async size(namespace: string): Promise<NamespaceSize> {
    return sizeOf(this.namespaces.get(namespace));
  }

  async tierSettings(namespace: string): Promise<ReadonlyMap<string, string>> {
    if (namespace === '') return this.settings;
    return new Map(Object.entries(this.namespaces.find(namespace)?.namespace.settings ?? {}));
  }

  async setTierSettings(write: Parameters<TierStore['setTierSettings']>[0]): Promise<void> {
    if (write.namespace === '') {
      this.settings = changed(this.settings, write.settings);
      return;
    }
    const settings = Object.fromEntries(changed(await this.tierSettings(write.namespace), write.settings));
    this.namespaces.change(write.namespace, (draft) => {
      draft.namespace = { ...draft.namespace, settings };
    });
  }

  async setMaintained({ namespace, atUs }: { namespace: string; atUs: Micros }): Promise<void> {
    this.namespaces.get(namespace);
    this.maintained.set(namespace, atUs);
  }

  async maintainedAtUs(namespace: string): Promise<Micros | undefined> {
    this.namespaces.get(namespace);
    return this.maintained.get(namespace);
  }

  /** To be called when a namespace is deleted. */
  forget(namespace: string): void {
    this.maintained.delete(namespace);
  }
}

export function membersOf({ entries }: NamespaceContents, read: MembersRead): TierMember[] {
  const { agent, type, untilUs = Number.POSITIVE_INFINITY, after } = read;
  return [...entries.values()]
    .filter(({ memory, tierSinceUs }) => memory.tier === read.tier && tierSinceUs <= untilUs)
    .filter(({ memory }) => agent === undefined || memory.scope.agent === agent)
    .filter(({ memory }) => type === undefined || memory.type === type)
    .map(memberOf)
    .filter((member) => !after || isBefore(after, member))
    .sort((a, b) => (isBefore(a, b) ? -1 : 1))
    .slice(0, read.limit);
}

export function totalsOf({ namespace: { name }, entries }: NamespaceContents): TierTotal[] {
  const groups = Map.groupBy(entries.values(), ({ memory }) =>
    JSON.stringify([TIERS.indexOf(memory.tier), memory.scope.agent, memory.type]),
  );
  return [...groups].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, members]) => totalOf(name, members));
}

export function sizeOf({ entries }: NamespaceContents): NamespaceSize {
  return { count: entries.size, contentBytes: contentBytesOf([...entries.values()]) };
}

function contentBytesOf(entries: readonly Entry[]): number {
  return entries.reduce((sum, { memory }) => sum + utf8BodyBytesOf(memory), 0);
}

export function isBefore(
  a: Pick<TierMember, 'tierSinceUs' | 'tie'>,
  b: Pick<TierMember, 'tierSinceUs' | 'tie'>,
): boolean {
  return a.tierSinceUs < b.tierSinceUs || (a.tierSinceUs === b.tierSinceUs && a.tie < b.tie);
}

/** Values that decide whether a memory stays in its tier. */
export function memberOf({ memory, tierSinceUs, sequence }: Entry): TierMember {
  const { id, tier, type, scope, importance, priority, retrievalCount, createdAtUs, lastAccessedAtUs, step } = memory;
  const [reward, surprise] = [rewardOf(memory.content), surpriseOf(memory.content)];
  return {
    id,
    tier,
    tierSinceUs,
    type,
    agent: scope.agent,
    importance,
    priority,
    retrievalCount,
    createdAtUs,
    ...(lastAccessedAtUs !== undefined && { lastAccessedAtUs }),
    ...(step !== undefined && { step }),
    contentBytes: utf8BodyBytesOf(memory),
    ...(reward !== 0 && { reward }),
    ...(surprise !== 0 && { surprise }),
    tie: sequence,
  };
}

function totalOf(namespace: string, members: readonly Entry[]): TierTotal {
  const [first] = members;
  if (!first) throw new Error('a group has no members');
  const { tier, scope, type } = first.memory;
  const contentBytes = contentBytesOf(members);
  return { namespace, tier, agent: scope.agent, type, count: members.length, contentBytes };
}
