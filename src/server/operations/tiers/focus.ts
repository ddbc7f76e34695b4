import type { Memory, Tier } from '../../../memory/memory.ts';
import { importanceOf, promotionOf, rewardOf, surpriseOf } from '../../../memory/tier-policy.ts';
import { NewestSteps } from './planned-moves.ts';
import { policyOf, type TierDeps } from './tier-config.ts';

/**
 * Counts a retrieval of each memory and moves qualifying memories up one tier. Returns the tiers of moved memories;
 * tiers may have changed since they were read, so a missing memory is skipped.
 */
export async function focusOn(
  deps: TierDeps,
  namespace: string,
  memories: readonly Memory[],
): Promise<ReadonlyMap<string, Tier>> {
  const { store, view, clock } = deps;
  const nowUs = clock.nowUs();
  const promoted = new Map<string, Tier>();
  if (memories.length === 0) return promoted;
  await store.write({ kind: 'touch', namespace, ids: memories.map(({ id }) => id), atUs: nowUs });
  const lowered = memories.filter(({ tier }) => tier !== 'short_term');
  if (lowered.length === 0) return promoted;
  const policy = await policyOf(deps, namespace);
  const steps = new NewestSteps(view, namespace, policy.importance.decay);
  await steps.learn(
    lowered.map(({ scope }) => scope.agent),
    nowUs,
  );
  for (const memory of lowered) {
    const retrievalCount = memory.retrievalCount + 1;
    const counted = { ...memory, retrievalCount, lastAccessedAtUs: nowUs };
    const traits = { ...counted, reward: rewardOf(memory.content), surprise: surpriseOf(memory.content) };
    const now = { nowUs, ...steps.of(memory.scope.agent) };
    const to = promotionOf(counted, importanceOf(traits, policy.importance, now), policy.promotion);
    if (to) promoted.set(memory.id, to);
  }
  for (const [to, group] of Map.groupBy(promoted, ([, tier]) => tier)) {
    const ids = group.map(([id]) => id);
    const { damagedIds } = await store.write({
      kind: 'move',
      namespace,
      ids,
      to,
      from: ['intermediate', 'long_term'],
      resolution: policy.rules[to].resolution,
      atUs: nowUs,
    });
    for (const id of damagedIds) promoted.delete(id);
  }
  return promoted;
}
