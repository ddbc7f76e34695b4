import { setTimeout as sleep } from 'node:timers/promises';
import type { CommandEntry, CommandLog } from '../command-log.ts';
import type { SharedPosition } from '../shared-position.ts';
import { storeSnapshot } from './view-snapshot.ts';

export interface RenewalOptions {
  readonly log: CommandLog;
  readonly folder: string;
  /** Names this server. */
  readonly server: string;
  /** Time in which every server that runs notices that the log is gone. */
  readonly graceMs: number;
  readonly pause?: (ms: number) => Promise<unknown>;
}

/** How often the grace period is waited for a server that has come further and then does nothing. */
const PATIENCE = 5;

/**
 * Gives Redis, which has lost the log, what this server has of it, unless another server has come further: that one does. True where
 * this server did.
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
