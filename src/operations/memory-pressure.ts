import { isUnavailable } from '../memory/errors.ts';
import type { Micros } from '../memory/memory.ts';
import type { MemoryGauge, MemoryReading } from '../memory/memory-gauge.ts';
import type { MoveReason } from './planned-moves.ts';

/** Why memories are moved down that no limit or time to live of their tier asks to move. */
export type PressureReason = Extract<MoveReason, 'redis_memory' | 'process_memory'>;

export interface Pressure {
  readonly reason: PressureReason;
  concerns(namespace: string): boolean;
}

/** One that has a limit, as it was when it was last looked at. */
export interface PressureState extends Pick<MemoryReading, 'source' | 'node' | 'usedBytes' | 'limitBytes'> {
  /** Bytes above which memories are moved down. */
  readonly pressedAboveBytes: number;
  readonly isPressed: boolean;
}

export interface MemoryPressureOptions {
  readonly gauges: readonly MemoryGauge[];
  /** Share of a limit above which memories are moved down. */
  readonly share: number;
  /** Told when one comes under pressure, and when that is over. */
  readonly onChange: (state: PressureState) => void;
}

const REASONS = { redis: 'redis_memory', process: 'process_memory' } as const;

/** Looks how much memory is left, and keeps count of what was moved because there was too little. */
export class MemoryPressure {
  private readonly options: MemoryPressureOptions;
  private readonly pressed = new Set<string>();
  private states: readonly PressureState[] = [];
  private moved = 0;
  private movedAtUs: Micros | undefined;

  constructor(options: MemoryPressureOptions) {
    this.options = options;
  }

  /** Whether anything may have a limit. */
  get isWatching(): boolean {
    return this.options.gauges.length > 0;
  }

  /** What is under pressure now. One that does not answer is not known to be. */
  async look(): Promise<Pressure[]> {
    const readings = (await Promise.all(this.options.gauges.map((gauge) => readingsOf(gauge)))).flat();
    this.states = readings.map((reading) => this.stateOf(reading));
    for (const state of this.states) this.tell(state);
    return readings.flatMap((reading, at) => {
      const isPressed = this.states[at]?.isPressed === true;
      return isPressed ? [{ reason: REASONS[reading.source], concerns: (name: string) => reading.concerns(name) }] : [];
    });
  }

  noteMoves(count: number, atUs: Micros): void {
    if (count === 0) return;
    this.moved += count;
    this.movedAtUs = atUs;
  }

  /** As of the last look; counts are since the start. */
  statistics(): {
    readonly states: readonly PressureState[];
    readonly movedCount: number;
    readonly movedAtUs?: Micros;
  } {
    const { states, moved: movedCount, movedAtUs } = this;
    return { states, movedCount, ...(movedAtUs !== undefined && { movedAtUs }) };
  }

  private stateOf({ source, node, usedBytes, limitBytes }: MemoryReading): PressureState {
    const pressedAboveBytes = Math.floor(limitBytes * this.options.share);
    return { source, node, usedBytes, limitBytes, pressedAboveBytes, isPressed: usedBytes > pressedAboveBytes };
  }

  private tell(state: PressureState): void {
    const name = `${state.source} ${state.node}`;
    if (this.pressed.has(name) === state.isPressed) return;
    if (state.isPressed) this.pressed.add(name);
    else this.pressed.delete(name);
    this.options.onChange(state);
  }
}

/** That a store is lost is told by all that needs it. */
async function readingsOf(gauge: MemoryGauge): Promise<readonly MemoryReading[]> {
  try {
    return await gauge.read();
  } catch (error) {
    if (isUnavailable(error)) return [];
    throw error;
  }
}
