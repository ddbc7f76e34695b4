import type { Micros } from '../../../memory/memory.ts';
import type { MemoryReading } from '../../../memory/meters.ts';

/** Why memories are moved down that no limit or time to live of their tier asks to move. */
export type PressureReason = 'redis_memory' | 'process_memory';

/** One memory shortage, during a pass. */
export interface Pressure {
  readonly reason: PressureReason;
  /** False as soon as enough of it is free. */
  isShort(): boolean;
  /** Remaining contribution of each namespace in this pass: it may be requested in parts. */
  readonly pending: Map<string, number>;
}

/** Each namespace contributes once to the relief of each shortage. */
export class ReliefPass {
  private readonly reliefs: readonly Relief[];
  private readonly moved = new Map<Pressure, number>();

  constructor(reliefs: readonly Relief[]) {
    this.reliefs = reliefs;
  }

  /** No resource is short of memory. */
  get isEmpty(): boolean {
    return this.reliefs.length === 0;
  }

  /** Memories that were moved in it for one place; absent where it was not for that. */
  movedFor(progress: ReliefProgress): number | undefined {
    const relief = this.reliefs.find((one) => one.progress === progress);
    return relief && (this.moved.get(relief.pressure) ?? 0);
  }

  noteMoves(pressure: Pressure, count: number): void {
    this.moved.set(pressure, (this.moved.get(pressure) ?? 0) + count);
  }

  /** The shortage to which the namespace still has to contribute. */
  pressureOf(namespace: string): Pressure | undefined {
    const pressure = this.reliefs.find((relief) => relief.pressure.isShort())?.pressure;
    return pressure?.pending.get(namespace) === 0 ? undefined : pressure;
  }

  /** It was not asked yet, or not for all of it. */
  isPendingFor(namespace: string): boolean {
    return this.pressureOf(namespace) !== undefined;
  }
}

interface Relief {
  readonly pressure: Pressure;
  readonly progress: ReliefProgress;
}

interface Terms {
  /** Share of the used memory that must be freed for a pass to count as effective. */
  readonly freedShare: number;
  /** Pause after a pass that has not helped; after each further one it is twice as long. */
  readonly pauseUs: number;
  /** Consecutive ineffective passes after which relief is given up. */
  readonly idlePassesMax: number;
}

/**
 * Redis reports moved memory immediately, and others may have written in the meantime. The memory of a process
 * fluctuates, and freed memory may stay allocated: usage below the minimum since the shortage began counts as freed.
 */
const TERMS: Readonly<Record<MemoryReading['source'], Terms>> = {
  redis: { freedShare: 0, pauseUs: 1_000_000, idlePassesMax: Number.POSITIVE_INFINITY },
  process: { freedShare: 0.01, pauseUs: 10_000_000, idlePassesMax: 2 },
};
const PAUSE_FACTOR_MAX = 8;

/** Whether moving memories down frees memory of one place that is short of it, by its count. */
export class ReliefProgress {
  private readonly terms: Terms;
  private readonly keepsLeast: boolean;
  private fromBytes = Number.POSITIVE_INFINITY;
  private idlePasses = 0;
  private pausedUntilUs: Micros = 0;

  constructor(source: MemoryReading['source']) {
    this.terms = TERMS[source];
    this.keepsLeast = source === 'process';
  }

  /** Passes have been ineffective: relief is suspended until the next shortage. */
  get isGivenUp(): boolean {
    return this.idlePasses >= this.terms.idlePassesMax;
  }

  /** When the next pass may start; never where relief is given up. */
  get notBeforeUs(): Micros {
    return this.isGivenUp ? Number.POSITIVE_INFINITY : this.pausedUntilUs;
  }

  begin(usedBytes: number): void {
    this.fromBytes = this.keepsLeast ? Math.min(this.fromBytes, usedBytes) : usedBytes;
  }

  /** Without moves, a decrease is no effect of the pass. */
  end(movedCount: number, usedBytes: number, nowUs: Micros): void {
    if (movedCount > 0 && this.hasHelped(usedBytes)) return;
    const factor = Math.min(2 ** this.idlePasses++, PAUSE_FACTOR_MAX);
    this.pausedUntilUs = nowUs + this.terms.pauseUs * factor;
  }

  /** The effect of a pass may appear late: the pause then ends. */
  look(usedBytes: number): void {
    if (this.idlePasses > 0 && !this.isGivenUp) this.hasHelped(usedBytes);
  }

  private hasHelped(usedBytes: number): boolean {
    const least = this.fromBytes * (1 - this.terms.freedShare);
    if (usedBytes > least || usedBytes === this.fromBytes) return false;
    this.fromBytes = usedBytes;
    this.idlePasses = 0;
    this.pausedUntilUs = 0;
    return true;
  }
}
