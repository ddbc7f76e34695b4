import type { Clock } from '../../../memory/clock.ts';
import { isUnavailable } from '../../../memory/errors.ts';
import type { Micros } from '../../../memory/memory.ts';
import type { MemoryGauge, MemoryReading } from '../../../memory/meters.ts';
import { ReliefPass, ReliefProgress } from './relief-pass.ts';

/** A memory resource with a limit, at its last reading. */
export interface PressureState extends Pick<MemoryReading, 'source' | 'node' | 'usedBytes' | 'limitBytes'> {
  /** Threshold in bytes above which memories are moved down. */
  readonly pressedAboveBytes: number;
  readonly isPressed: boolean;
  /** Moving memories down has freed nothing: relief is suspended until the next shortage. */
  readonly isGivenUp: boolean;
}

export interface MemoryPressureOptions {
  readonly gauges: readonly MemoryGauge[];
  /** Share of a limit above which memories are moved down. */
  readonly share: number;
  readonly clock: Clock;
  /** Called when a resource comes under pressure, when relief is given up, and when the pressure ends. */
  readonly onChange: (state: PressureState) => void;
}

const REASONS = { redis: 'redis_memory', process: 'process_memory' } as const;

/**
 * Measures memory usage, starts relief when it is above its threshold, and checks its effect: an ineffective pass is
 * followed by a pause, and after several of them relief is given up.
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

  /** Whether any resource may have a limit. */
  get isWatching(): boolean {
    return this.options.gauges.length > 0;
  }

  /** When the next relief pass may start; never where no resource is short, or relief is given up. */
  get reliefDueAtUs(): Micros {
    const times = this.readings.flatMap((reading) => this.short.get(nameOf(reading))?.notBeforeUs ?? []);
    return Math.min(...times, Number.POSITIVE_INFINITY);
  }

  /** A resource that does not answer keeps its last state. */
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

  /** Starts a pass over the namespaces; `isAsked`: requested by a caller, which skips the pause. */
  async beginPass({ isAsked }: { readonly isAsked: boolean }): Promise<ReliefPass> {
    await this.look();
    const nowUs = this.options.clock.nowUs();
    const pressures = this.readings.flatMap((reading) => {
      const progress = this.short.get(nameOf(reading));
      if (!progress || progress.isGivenUp || (!isAsked && progress.notBeforeUs > nowUs)) return [];
      progress.begin(reading.usedBytes);
      const isShort = () => this.short.get(nameOf(reading)) === progress;
      const reason = REASONS[reading.source];
      return [{ progress, pressure: { reason, isShort, pending: new Map<string, number>() } }];
    });
    return new ReliefPass(pressures);
  }

  /** Measures the effect of a pass after all namespaces have contributed. */
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
    return { states, movedCount, movedAtUs };
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
