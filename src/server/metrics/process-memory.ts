import type { MemoryGauge } from '../../memory/memory-gauge.ts';

/** Resident memory of this process against a limit. */
export function processMemoryGauge(limitBytes: number): MemoryGauge {
  return {
    async read() {
      const usedBytes = process.memoryUsage.rss();
      return [{ source: 'process', node: '', usedBytes, limitBytes }];
    },
  };
}
