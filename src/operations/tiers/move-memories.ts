import { memoryNotFound } from '../../memory/errors.ts';
import type { Tier } from '../../memory/memory.ts';
import { TIERS } from '../../memory/tiers.ts';
import type { MoveOutcome } from '../../storage/tier-store.ts';
import { compactMemories } from './compact-memories.ts';
import { policyOf, type TierDeps } from './tier-policy-of.ts';

export interface MoveRequest {
  readonly namespace: string;
  readonly ids: readonly string[];
  readonly direction: 'down' | 'up';
  /** Absent: the next tier in the direction. */
  readonly to?: Tier;
}

/**
 * Moves memories down or up; one that is as far already stays. Fails with MEMORY_NOT_FOUND, and moves nothing, when one of
 * them is not there.
 */
export async function moveMemories(
  deps: TierDeps,
  { namespace, ids, direction, to }: MoveRequest,
): Promise<MoveOutcome> {
  const { store, tiers, clock } = deps;
  const policy = await policyOf(deps, namespace);
  const memories = await store.get({ namespace, ids, view: 'metadata', nowUs: clock.nowUs() });
  const byTarget = new Map<Tier, { ids: string[]; from: Set<Tier> }>();
  for (const [at, memory] of memories.entries()) {
    if (!memory) throw memoryNotFound(namespace, ids[at] ?? '');
    const target = targetOf(memory.tier, direction, to);
    if (target === undefined) continue;
    const group = byTarget.get(target) ?? { ids: [], from: new Set() };
    group.ids.push(memory.id);
    group.from.add(memory.tier);
    byTarget.set(target, group);
  }
  const moved: MoveOutcome['moved'][number][] = [];
  const damagedIds: string[] = [];
  for (const [target, group] of byTarget) {
    const { resolution } = policy.rules[target];
    const lossy = direction === 'down' ? resolution.lossy : undefined;
    const compacted = await compactMemories(deps, namespace, group.ids, lossy);
    const write = { namespace, ids: compacted.ids, to: target, from: [...group.from], resolution, atUs: clock.nowUs() };
    const outcome = await tiers.move(write);
    moved.push(...outcome.moved);
    damagedIds.push(...compacted.damagedIds, ...outcome.damagedIds);
  }
  return { revision: store.revision, moved, damagedIds };
}

function targetOf(tier: Tier, direction: 'down' | 'up', to: Tier | undefined): Tier | undefined {
  const at = TIERS.indexOf(tier);
  const target = to === undefined ? at + (direction === 'down' ? 1 : -1) : TIERS.indexOf(to);
  const isFurther = direction === 'down' ? target > at : target < at;
  return isFurther ? TIERS[target] : undefined;
}
