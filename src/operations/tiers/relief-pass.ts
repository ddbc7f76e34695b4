import type { ReliefProgress } from './relief-progress.ts';

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
