import type { Clock } from '../../memory/clock.ts';
import type { Tier } from '../../memory/memory.ts';
import type { Logger } from '../logger.ts';
import type { CrowdedNamespaces } from '../operations/tiers/crowded-namespaces.ts';
import { MaintenanceRounds } from '../operations/tiers/maintenance-rounds.ts';
import type { MemoryPressure } from '../operations/tiers/memory-pressure.ts';
import type { MoveReason, PlannedMove } from '../operations/tiers/planned-moves.ts';
import type { TierDeps } from '../operations/tiers/tier-config.ts';
import { type Leased, unshared } from './leased-work.ts';
import { RepeatingJob } from './repeating-job.ts';

/** Delay before a failed run is repeated. */
const AFTER_FAILURE_MS = 1000;

/**
 * Moves memories down that exceeded their tier's time to live or limits, or because memory is short, periodically, and
 * in further rounds while any remain.
 */
export class MaintenanceJob {
  private readonly deps: TierDeps;
  private readonly intervalMs: number;
  private readonly logger: Logger;
  private readonly rounds: MaintenanceRounds;
  private readonly counts = new Map<string, { from: Tier; to: Tier; reason: MoveReason; count: number }>();
  private readonly job: RepeatingJob;

  constructor(deps: TierDeps, intervalMs: number, logger: Logger, leased: Leased = unshared) {
    this.job = new RepeatingJob(
      leased((signal) => this.run(signal)),
      'tier maintenance',
    );
    this.deps = deps;
    this.intervalMs = intervalMs;
    this.logger = logger;
    this.rounds = new MaintenanceRounds(deps);
  }

  start(): void {
    this.job.start(this.intervalMs);
  }

  /** Looks at every namespace now. */
  wake(): void {
    this.rounds.begin();
    this.job.wake();
  }

  /** Looks soon at namespaces that hold too much. */
  hurry(namespaces: Iterable<string>): void {
    this.rounds.add(namespaces);
    this.job.wake();
  }

  stop(): Promise<void> {
    return this.job.stop();
  }

  /** Memories moved since the start, by tiers and reason. */
  get moveCounts(): readonly {
    readonly from: Tier;
    readonly to: Tier;
    readonly reason: MoveReason;
    readonly count: number;
  }[] {
    return [...this.counts.values()];
  }

  private note({ member, to, reason }: PlannedMove): void {
    const key = `${member.tier} ${to} ${reason}`;
    const counted = this.counts.get(key) ?? { from: member.tier, to, reason, count: 0 };
    counted.count++;
    this.counts.set(key, counted);
  }

  private async run(signal: AbortSignal): Promise<number> {
    let movedCount = 0;
    let hasFailed = false;
    if (this.dueInMs() === 0) this.rounds.begin();
    try {
      for await (const { namespace, moves, damagedIds } of this.rounds.round(signal)) {
        movedCount += moves.length;
        for (const move of moves) this.note(move);
        if (damagedIds.length > 0)
          this.logger.error({ namespace, ids: damagedIds }, 'memories are damaged and stay in their tier');
      }
    } catch (error) {
      if (signal.aborted) return this.intervalMs;
      // Failure of one namespace: moves in the others still count.
      this.logger.error({ err: error }, 'tiers could not be maintained');
      hasFailed = true;
    }
    if (movedCount > 0) this.logger.debug({ count: movedCount }, 'memories moved to lower tiers');
    const delayMs = this.rounds.isDone ? this.dueInMs() : 0;
    return hasFailed ? Math.max(delayMs, AFTER_FAILURE_MS) : delayMs;
  }

  /** Time until every namespace is to be looked at again: sooner while memory is short, where that helps. */
  private dueInMs(): number {
    const { clock, pressure } = this.deps;
    const dueAtUs = Math.min(
      this.rounds.walkedUs + this.intervalMs * 1000,
      pressure?.reliefDueAtUs ?? Number.POSITIVE_INFINITY,
    );
    return Math.max(0, Math.ceil((dueAtUs - clock.nowUs()) / 1000));
  }
}

/** Looks every so often how much memory is left, and has the tiers maintained at once where it is too little and that helps. */
export function pressureJob(
  pressure: MemoryPressure,
  clock: Clock,
  maintenance: Pick<MaintenanceJob, 'wake'>,
  intervalMs: number,
  logger: Logger,
): RepeatingJob {
  return new RepeatingJob(async (signal) => {
    try {
      await pressure.look();
      if (pressure.reliefDueAtUs <= clock.nowUs()) maintenance.wake();
    } catch (error) {
      if (!signal.aborted) logger.error({ err: error }, 'memory pressure cannot be measured');
    }
    return intervalMs;
  });
}

/**
 * Checks periodically which tiers writes have brought well above a limit, and maintains their namespaces immediately.
 */
export function tierLimitJob(
  crowded: Pick<CrowdedNamespaces, 'look'>,
  maintenance: Pick<MaintenanceJob, 'wake' | 'hurry'>,
  intervalMs: number,
  logger: Logger,
): RepeatingJob {
  return new RepeatingJob(async (signal) => {
    try {
      const namespaces = await crowded.look();
      if (namespaces === undefined) maintenance.wake();
      else if (namespaces.length > 0) maintenance.hurry(namespaces);
    } catch (error) {
      if (!signal.aborted) logger.error({ err: error }, 'tier limits cannot be checked');
    }
    return intervalMs;
  });
}
