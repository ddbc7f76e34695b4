import type { Config } from '../config/config.ts';
import type { Logger } from '../logger.ts';
import type { Clock } from '../memory/clock.ts';
import type { MemoryGauge } from '../memory/memory-gauge.ts';
import { processMemoryGauge } from '../metrics/process-memory-gauge.ts';
import { MemoryPressure } from '../operations/tiers/memory-pressure.ts';

/** Watches what has a limit of memory: the process where the settings give it one, and each Redis that has a `maxmemory`. */
export function openMemoryPressure(
  config: Config,
  ofStorage: readonly MemoryGauge[],
  clock: Clock,
  logger: Logger,
): MemoryPressure {
  const { maxProcessBytes, memoryPressurePercent } = config;
  return new MemoryPressure({
    gauges: [...ofStorage, ...(maxProcessBytes > 0 ? [processMemoryGauge(maxProcessBytes)] : [])],
    share: memoryPressurePercent / 100,
    clock,
    onChange: ({ isPressed, isGivenUp, ...use }) => {
      if (isGivenUp)
        logger.warn(use, 'memory is short, and moving memories down has freed nothing of it: no more are moved for it');
      else if (isPressed) logger.warn(use, 'memory is short: memories move down to long-term memory');
      else logger.info(use, 'memory is no longer short');
    },
  });
}
