import type { Micros } from '../../memory/memory.ts';
import type { MemoryReading } from '../../memory/memory-gauge.ts';

/** Why memories are moved down that no limit or time to live of their tier asks to move. */
export type PressureReason = 'redis_memory' | 'process_memory';

/** One place that is short of memory, for as long as a pass goes on. */
export interface Pressure {
  readonly reason: PressureReason;
  /** False as soon as enough of it is free. */
  concerns(namespace: string): boolean;
  /** What a namespace that was asked has still to give in this pass: it may be asked for it bit by bit. */
  readonly owed: Map<string, number>;
}

/** Each namespace gives once what a place needs that is short of memory. */
export class ReliefPass {
  private readonly reliefs: readonly Relief[];
  private readonly moved = new Map<Pressure, number>();

  constructor(reliefs: readonly Relief[]) {
    this.reliefs = reliefs;
  }

  /** Nothing is short of memory. */
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

  /** What the namespace has to give for. */
  pressureOf(namespace: string): Pressure | undefined {
    const pressure = this.reliefs.find((relief) => relief.pressure.concerns(namespace))?.pressure;
    return pressure?.owed.get(namespace) === 0 ? undefined : pressure;
  }

  /** It was not asked yet, or not for all of it. */
  isOwedBy(namespace: string): boolean {
    return this.pressureOf(namespace) !== undefined;
  }
}

interface Relief {
  readonly pressure: Pressure;
  readonly progress: ReliefProgress;
}

interface Terms {
  /** Share of what is used that must be free for a pass to have helped. */
  readonly freedShare: number;
  /** Pause after a pass that has not helped; after each further one it is twice as long. */
  readonly pauseUs: number;
  /** Passes in a row that free nothing, after which there are no more. */
  readonly idlePassesMax: number;
}

/**
 * Redis has what was moved in its count at once, and others may have written meanwhile. Of a process the count goes up and down by
 * itself, and what it lets go of it may keep for later: below all that was seen since it is short, something is free.
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

  /** Passes have freed nothing: there are no more of them until it is short anew. */
  get isGivenUp(): boolean {
    return this.idlePasses >= this.terms.idlePassesMax;
  }

  /** When the next pass may begin; never where it is given up. */
  get notBeforeUs(): Micros {
    return this.isGivenUp ? Number.POSITIVE_INFINITY : this.pausedUntilUs;
  }

  begin(usedBytes: number): void {
    this.fromBytes = this.keepsLeast ? Math.min(this.fromBytes, usedBytes) : usedBytes;
  }

  /** What falls where nothing was moved falls by itself. */
  end(movedCount: number, usedBytes: number, nowUs: Micros): void {
    if (movedCount > 0 && this.hasHelped(usedBytes)) return;
    const factor = Math.min(2 ** this.idlePasses++, PAUSE_FACTOR_MAX);
    this.pausedUntilUs = nowUs + this.terms.pauseUs * factor;
  }

  /** What a pass freed may show only later: then there is no reason to wait any more. */
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
