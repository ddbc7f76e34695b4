import type { Logger } from '../logger.ts';
import type { Extractions } from '../operations/extraction/extractions.ts';
import { RepeatingJob } from './repeating-job.ts';

/** Finds namespaces with messages to extract, after the start of the server and every so often. */
export function extractionJob(
  extractions: Pick<Extractions, 'sweep'>,
  intervalMs: number,
  logger: Logger,
): RepeatingJob {
  return new RepeatingJob(async (signal) => {
    try {
      await extractions.sweep(signal);
    } catch (error) {
      if (!signal.aborted) logger.error({ err: error }, 'namespaces with messages to extract could not be looked for');
    }
    return intervalMs;
  }, 'extraction sweep');
}
