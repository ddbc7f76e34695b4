import type { Config } from './config.ts';
import type { Logger } from './logger.ts';
import type { MemoryGauge } from './memory/memory-gauge.ts';
import { MemoryPressure } from './operations/memory-pressure.ts';
import { processMemoryGauge } from './process-memory-gauge.ts';

/** Watches what has a limit of memory: the process where the settings give it one, and each Redis that has a `maxmemory`. */
export function openMemoryPressure(config: Config, ofStorage: readonly MemoryGauge[], logger: Logger): MemoryPressure {
  const { maxProcessBytes, memoryPressurePercent } = config;
  return new MemoryPressure({
    gauges: [...ofStorage, ...(maxProcessBytes > 0 ? [processMemoryGauge(maxProcessBytes)] : [])],
    share: memoryPressurePercent / 100,
    onChange: ({ isPressed, ...use }) => {
      if (isPressed) logger.warn(use, 'memory is short: memories move down to long-term memory');
      else logger.info(use, 'memory is no longer short');
    },
  });
}
