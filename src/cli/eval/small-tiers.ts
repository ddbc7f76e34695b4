import type { Memory, Mneme, NewMemory, Tier } from '../../../clients/typescript/src/index.ts';
import { CommandFailure } from '../failure.ts';

/** Tiers so small that most memories of a conversation end in the lower ones. */
const SETTINGS = {
  'short_term.memory_limit': 50,
  'intermediate.memory_limit': 150,
  'short_term.ttl': 'none',
  'intermediate.ttl': 'none',
};

export async function createWithSmallTiers(
  mneme: Mneme,
  namespace: string,
  settings: Readonly<Record<string, string>>,
): Promise<void> {
  await mneme.namespaces.create(namespace, { settings: { ...SETTINGS, ...settings } });
}

/** Moves down what is over the limits, and fails when a memory is not given back as it was stored. */
export async function lowerAndCheck(
  mneme: Mneme,
  { namespace, memories }: { readonly namespace: string; readonly memories: readonly NewMemory[] },
  signal: AbortSignal,
): Promise<ReadonlyMap<Tier, number>> {
  for await (const step of mneme.admin.maintainTiers({ namespace }, { signal })) {
    if (step.damagedIds.length > 0) throw new CommandFailure(`damaged memories in ${namespace}: ${step.damagedIds}`);
  }
  const byUri = new Map(memories.map((memory) => [memory.source?.uri ?? '', memory]));
  const tiers = new Map<Tier, number>();
  let count = 0;
  for await (const memory of mneme.withNamespace(namespace).list({ view: 'full', pageSize: 500 }, { signal })) {
    const given = byUri.get(memory.source.uri ?? '');
    if (!given || !isAsGiven(memory, given)) {
      throw new CommandFailure(`${memory.name} in ${memory.tier} is not as it was stored`);
    }
    count++;
    tiers.set(memory.tier, (tiers.get(memory.tier) ?? 0) + 1);
  }
  if (count !== memories.length) throw new CommandFailure(`${namespace} holds ${count} of ${memories.length} memories`);
  return tiers;
}

function isAsGiven(memory: Memory, given: NewMemory): boolean {
  return (
    memory.text === given.text &&
    memory.scope.session === given.scope?.session &&
    (memory.source.speaker ?? '') === (given.source?.speaker ?? '') &&
    memory.eventTime.getTime() === (given.eventTime as Date).getTime()
  );
}
