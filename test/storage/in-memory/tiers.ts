import { utf8BodyBytesOf } from '../../../src/memory/checksum.ts';
import { TIERS } from '../../../src/memory/memory.ts';
import { rewardOf, surpriseOf } from '../../../src/memory/tier-policy.ts';
import type { Entry, NamespaceContents } from '../../../src/storage/rules/draft.ts';
import type { MembersRead, NamespaceSize, TierMember, TierTotal } from '../../../src/storage/tiers.ts';

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
    lastAccessedAtUs,
    step,
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
