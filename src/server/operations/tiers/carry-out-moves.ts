import { setTimeout as sleep } from 'node:timers/promises';
import type { Resolution } from '../../../memory/resolution/resolution.ts';
import { compactMemories } from './move-memories.ts';
import type { PlannedMove } from './planned-moves.ts';
import type { TierDeps } from './tier-config.ts';

/**
 * Keeps the wait for a part short, for example for a recall. Two parts run concurrently: while one waits for the disk
 * or another thread the other proceeds.
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
  { store, clock, othersFirst }: TierDeps,
  namespace: string,
  planned: readonly PlannedMove[],
  resolution: Resolution,
): Promise<MaintenanceStep> {
  const [first] = planned;
  if (!first) return { namespace, moves: [], damagedIds: [] };
  const plannedIds = planned.map(({ member }) => member.id);
  const { ids, damagedIds } = await compactMemories({ store, clock }, namespace, plannedIds, resolution.lossy);
  const write = { namespace, to: first.to, from: [first.member.tier], resolution, atUs: clock.nowUs() };
  const outcomes = await inParts(ids, PARTS, async (some) => {
    await movePace.take(some.length);
    await othersFirst?.();
    return store.write({ kind: 'move', ...write, ids: some });
  });
  const done = new Set(outcomes.flatMap(({ moved }) => moved.map(({ id }) => id)));
  return {
    namespace,
    moves: planned.filter(({ member }) => done.has(member.id)),
    damagedIds: [...damagedIds, ...outcomes.flatMap((outcome) => outcome.damagedIds)],
  };
}

export interface PartLimits {
  readonly size: number;
  /** Parts that are under way side by side. */
  readonly atOnce: number;
}

/** Processes a list in parts. Returns the results in order; after a failure no further part is started. */
export async function inParts<I, O>(
  items: readonly I[],
  { size, atOnce }: PartLimits,
  work: (part: readonly I[]) => Promise<O>,
): Promise<O[]> {
  const outcomes: O[] = [];
  let taken = 0;
  let hasFailed = false;
  const take = async (): Promise<void> => {
    while (taken < items.length && !hasFailed) {
      const from = taken;
      taken += size;
      try {
        outcomes[from / size] = await work(items.slice(from, from + size));
      } catch (error) {
        hasFailed = true;
        throw error;
      }
    }
  };
  const settled = await Promise.allSettled(Array.from({ length: atOnce }, take));
  for (const one of settled) if (one.status === 'rejected') throw one.reason;
  return outcomes;
}

/** Limits background moves, which would otherwise delay recalls. */
const MOVES_PER_S_MAX = 5100;
/** Time lost, as by planning, is made up for: at most so much. */
const MADE_UP_MS = 100;

interface Timing {
  nowMs(): number;
  sleep(forMs: number): Promise<void>;
}

/**
 * Spreads moves evenly over time: bursts at full speed with pauses between them would occupy all cores during each
 * burst.
 */
export class MovePace {
  private freeAtMs = 0;
  private readonly timing: Timing;

  constructor(timing: Timing = { nowMs: () => performance.now(), sleep: (forMs) => sleep(forMs) }) {
    this.timing = timing;
  }

  /** Resolves when so many moves may be made. */
  async take(count: number): Promise<void> {
    const nowMs = this.timing.nowMs();
    const atMs = Math.max(this.freeAtMs, nowMs - MADE_UP_MS);
    this.freeAtMs = atMs + (count * 1000) / MOVES_PER_S_MAX;
    if (atMs > nowMs) await this.timing.sleep(atMs - nowMs);
  }
}

/** Moves of this server: the limit is one for all callers and all namespaces together. */
export const movePace = new MovePace();
