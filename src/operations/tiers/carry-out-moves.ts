import { compactMemories } from './compact-memories.ts';
import { inParts } from './in-parts.ts';
import { movePace } from './move-pace.ts';
import type { PlannedMove } from './planned-moves.ts';
import type { TierDeps } from './tier-policy-of.ts';

/**
 * Who waits for a part to be moved, such as a recall, does not wait long. Two parts are under way at once: where one
 * waits for the disk or for another thread the other goes on.
 */
const PARTS = { size: 50, atOnce: 2 };

export interface MaintenanceStep {
  readonly namespace: string;
  /** Moves of this step, made or only planned. */
  readonly moves: readonly PlannedMove[];
  /** Memories that cannot be moved because their bytes do not give their checksum. */
  readonly damagedIds: readonly string[];
}

/** Moves one batch of memories, all from the same tier to the same one. */
export async function carryOutMoves(
  { store, tiers, clock, othersFirst }: TierDeps,
  namespace: string,
  planned: readonly PlannedMove[],
  resolution: Parameters<TierDeps['tiers']['move']>[0]['resolution'],
): Promise<MaintenanceStep> {
  const [first] = planned;
  if (!first) return { namespace, moves: [], damagedIds: [] };
  const plannedIds = planned.map(({ member }) => member.id);
  const { ids, damagedIds } = await compactMemories({ store, clock }, namespace, plannedIds, resolution.lossy);
  const write = { namespace, to: first.to, from: [first.member.tier], resolution, atUs: clock.nowUs() };
  const outcomes = await inParts(ids, PARTS, async (some) => {
    await movePace.take(some.length);
    await othersFirst?.();
    return tiers.move({ ...write, ids: some });
  });
  const done = new Set(outcomes.flatMap(({ moved }) => moved.map(({ id }) => id)));
  return {
    namespace,
    moves: planned.filter(({ member }) => done.has(member.id)),
    damagedIds: [...damagedIds, ...outcomes.flatMap((outcome) => outcome.damagedIds)],
  };
}
