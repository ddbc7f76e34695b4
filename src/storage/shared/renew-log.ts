import { setTimeout as sleep } from 'node:timers/promises';
import type { CommandEntry, CommandLog } from '../command-log.ts';
import type { SharedPosition } from '../shared-position.ts';
import { storeSnapshot } from './view-snapshot.ts';

export interface RenewalOptions {
  readonly log: CommandLog;
  readonly folder: string;
  /** Name of this server. */
  readonly server: string;
  /** Time in which every running server detects that the log is gone. */
  readonly graceMs: number;
  readonly pause?: (ms: number) => Promise<unknown>;
}

/** Number of grace periods to wait for a server with a higher position that does not act. */
const PATIENCE = 5;

/**
 * Writes this server's data to a Redis that has lost the log, unless another server has a higher position: that one
 * does it. True where this server did it.
 */
export async function renewLog(
  { log, folder, server, graceMs, pause = sleep }: RenewalOptions,
  at: SharedPosition,
  recent: readonly CommandEntry[],
): Promise<boolean> {
  for (let round = 0; round < PATIENCE; round++) {
    await log.offer(server, at.position, PATIENCE * graceMs);
    await pause(graceMs);
    if (await log.head()) return false;
    if ((await log.furthest()) === server) break;
  }
  const snapshot = await storeSnapshot(log, folder);
  const leading = recent.filter(({ position }) => position <= snapshot.position);
  return log.begin(at.epoch, snapshot, 0, leading);
}
