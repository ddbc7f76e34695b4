import { setTimeout as sleep } from 'node:timers/promises';

/** In a storm of commits some are compared with the standing queries at once, which takes less of each. */
const LOOK_EVERY_MS = 4;

/** Resolves when commits may be looked at again, given when they were last. */
export type Pause = (lookedMs: number) => Promise<unknown>;

export async function pauseBetweenLooks(lookedMs: number): Promise<void> {
  const restMs = lookedMs + LOOK_EVERY_MS - performance.now();
  if (restMs > 0) await sleep(restMs);
}
