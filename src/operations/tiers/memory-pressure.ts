import type { Clock } from '../../memory/clock.ts';
import { isUnavailable } from '../../memory/errors.ts';
import type { Micros } from '../../memory/memory.ts';
import type { MemoryGauge, MemoryReading } from '../../memory/memory-gauge.ts';
import { ReliefPass, ReliefProgress } from './relief-pass.ts';

/** One that has a limit, as it was when it was last looked at. */
export interface PressureState extends Pick<MemoryReading, 'source' | 'node' | 'usedBytes' | 'limitBytes'> {
  /** Bytes above which memories are moved down. */
  readonly pressedAboveBytes: number;
  readonly isPressed: boolean;
  /** Moving memories down has freed nothing of it: none are moved for it until it is short anew. */
  readonly isGivenUp: boolean;
}

export interface MemoryPressureOptions {
  readonly gauges: readonly MemoryGauge[];
  /** Share of a limit above which memories are moved down. */
  readonly share: number;
  readonly clock: Clock;
  /** Told when one comes under pressure, when it is given up, and when it is over. */
  readonly onChange: (state: PressureState) => void;
}

const REASONS = { redis: 'redis_memory', process: 'process_memory' } as const;

/**
 * Looks how much memory is left, says when memories are to be moved down because it is too little, and whether that has
 * helped: a pass that has freed nothing is followed by a pause, and where more of them do not help either by no other.
 */
export class MemoryPressure {
  private readonly options: MemoryPressureOptions;
  private readonly short = new Map<string, ReliefProgress>();
  private readings: readonly MemoryReading[] = [];
  private moved = 0;
  private movedAtUs: Micros | undefined;

  constructor(options: MemoryPressureOptions) {
    this.options = options;
  }

  /** Whether anything may have a limit. */
  get isWatching(): boolean {
    return this.options.gauges.length > 0;
  }

  /** When a pass is worth while again; never where nothing is short of memory, or nothing helps. */
  get reliefDueAtUs(): Micros {
    const times = this.readings.flatMap((reading) => this.short.get(nameOf(reading))?.notBeforeUs ?? []);
    return Math.min(...times, Number.POSITIVE_INFINITY);
  }

  /** One that does not answer is not known to be under pressure. */
  async look(): Promise<void> {
    this.readings = (await Promise.all(this.options.gauges.map((gauge) => readingsOf(gauge)))).flat();
    for (const reading of this.readings) {
      const name = nameOf(reading);
      const isPressed = this.isPressed(reading);
      this.short.get(name)?.look(reading.usedBytes);
      if (isPressed === this.short.has(name)) continue;
      if (isPressed) this.short.set(name, new ReliefProgress(reading.source));
      else this.short.delete(name);
      this.options.onChange(this.stateOf(reading));
    }
  }

  /** A pass over the namespaces, for what is short of memory; `isAsked`: a caller does not want to wait for the end of a pause. */
  async beginPass({ isAsked }: { readonly isAsked: boolean }): Promise<ReliefPass> {
    await this.look();
    const nowUs = this.options.clock.nowUs();
    const pressures = this.readings.flatMap((reading) => {
      const progress = this.short.get(nameOf(reading));
      if (!progress || progress.isGivenUp || (!isAsked && progress.notBeforeUs > nowUs)) return [];
      progress.begin(reading.usedBytes);
      const isShort = () => this.short.get(nameOf(reading)) === progress;
      const concerns = (namespace: string) => isShort() && reading.concerns(namespace);
      return [{ progress, pressure: { reason: REASONS[reading.source], concerns, owed: new Map<string, number>() } }];
    });
    return new ReliefPass(pressures);
  }

  /** Looks what a pass has freed, once all namespaces have given. */
  async endPass(pass: ReliefPass): Promise<void> {
    if (pass.isEmpty) return;
    await this.look();
    for (const reading of this.readings) {
      const progress = this.short.get(nameOf(reading));
      const movedCount = progress && pass.movedFor(progress);
      if (movedCount === undefined || progress?.isGivenUp !== false) continue;
      progress.end(movedCount, reading.usedBytes, this.options.clock.nowUs());
      if (progress.isGivenUp) this.options.onChange(this.stateOf(reading));
    }
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
    const { moved: movedCount, movedAtUs } = this;
    const states = this.readings.map((reading) => this.stateOf(reading));
    return { states, movedCount, ...(movedAtUs !== undefined && { movedAtUs }) };
  }

  private stateOf(reading: MemoryReading): PressureState {
    const { source, node, usedBytes, limitBytes } = reading;
    const isGivenUp = this.short.get(nameOf(reading))?.isGivenUp === true;
    const pressedAboveBytes = this.pressedAboveBytes(reading);
    return { source, node, usedBytes, limitBytes, pressedAboveBytes, isPressed: this.isPressed(reading), isGivenUp };
  }

  private isPressed(reading: MemoryReading): boolean {
    return reading.usedBytes > this.pressedAboveBytes(reading);
  }

  private pressedAboveBytes({ limitBytes }: MemoryReading): number {
    return Math.floor(limitBytes * this.options.share);
  }
}

function nameOf({ source, node }: MemoryReading): string {
  return `${source} ${node}`;
}

/** Calls that need a lost store report it. */
async function readingsOf(gauge: MemoryGauge): Promise<readonly MemoryReading[]> {
  try {
    return await gauge.read();
  } catch (error) {
    if (isUnavailable(error)) return [];
    throw error;
  }
}
