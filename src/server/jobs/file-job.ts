import { readFile } from 'node:fs/promises';
import type { Logger } from '../logger.ts';
import { RepeatingJob } from './repeating-job.ts';

/** A file that is edited while the server runs. */
export interface FollowedFile {
  readonly path: string;
  /** Contents, in the plural, for the log. */
  readonly what: string;
  /** Gets the text at every look; fails on one that is not usable. */
  look(text: string): void;
}

/** Reads the file at an interval. While it cannot be read or used, everything stays as it is. */
export function fileJob({ path, what, look }: FollowedFile, intervalMs: number, logger: Logger): RepeatingJob {
  let isUsable = true;
  return new RepeatingJob(async () => {
    try {
      look(await readFile(path, 'utf8'));
      isUsable = true;
    } catch (error) {
      if (isUsable) logger.error({ err: error, path }, `the file of ${what} cannot be read: the ${what} stay`);
      isUsable = false;
    }
    return intervalMs;
  });
}
