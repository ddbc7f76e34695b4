import { Counter, Gauge, type Registry } from 'prom-client';

/** As of the last look; counts are since the start. */
export interface PressureStatistics {
  readonly states: readonly PressureState[];
  readonly movedCount: number;
}

interface PressureState {
  readonly source: string;
  /** Which one, where there are several. */
  readonly node: string;
  readonly usedBytes: number;
  readonly limitBytes: number;
  readonly pressedAboveBytes: number;
  readonly isPressed: boolean;
}

/** How much is used of the memory that has a limit, by what has it, and what was moved because it was short. */
export function readPressure(registers: Registry[], statistics: () => PressureStatistics): void {
  const gauge = (name: string, help: string, of: (state: PressureState) => number) =>
    new Gauge({
      name,
      help,
      labelNames: ['source', 'node'],
      registers,
      collect() {
        // One that does not answer any more is not told of with what it had.
        this.reset();
        for (const state of statistics().states) this.set({ source: state.source, node: state.node }, of(state));
      },
    });
  gauge(
    'mneme_memory_pressure',
    '1 where so little memory is left that memories are moved down, else 0.',
    ({ isPressed }) => (isPressed ? 1 : 0),
  );
  gauge('mneme_memory_pressure_used_bytes', 'Bytes used, as of the last look.', ({ usedBytes }) => usedBytes);
  gauge('mneme_memory_pressure_limit_bytes', 'Most bytes that may be used.', ({ limitBytes }) => limitBytes);
  gauge(
    'mneme_memory_pressure_above_bytes',
    'Bytes above which memories are moved down.',
    ({ pressedAboveBytes }) => pressedAboveBytes,
  );
  new Counter({
    name: 'mneme_memory_pressure_moves_total',
    help: 'Memories moved to long-term memory because memory was short.',
    registers,
    collect() {
      this.reset();
      this.inc(statistics().movedCount);
    },
  });
}
