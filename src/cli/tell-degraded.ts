import type { WriteDegradation } from '../../clients/typescript/src/index.ts';

/** Says on stderr which tiers could not take new memories, and where these are instead. */
export function tellDegraded(degraded: readonly WriteDegradation[] | undefined): void {
  for (const { part, storedIn, reason } of degraded ?? []) {
    process.stderr.write(`mneme: stored in ${storedIn} in place of ${part}: ${reason}\n`);
  }
}
