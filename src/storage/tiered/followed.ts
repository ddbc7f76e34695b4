import type { MirrorPosition } from '../mirror-store.ts';

/** How far the copies of a namespace are, and what is being done about it. */
export interface Followed {
  /** What is under way, and whether it began before the last question. */
  running: Promise<void> | undefined;
  next: Promise<void> | undefined;
  position: MirrorPosition | undefined;
  isRead: boolean;
  /** Revision up to which the copies are complete. */
  revision: number;
  /** Revision that the mirror's is to be at least when it is done. */
  floor: number;
  /** When the next step that nobody waits for may begin. */
  pausedUntilMs: number;
  /** Changes that were noted and are not copied yet. */
  behind: number;
  /** Of the next one, where nobody waits for it. */
  timer: NodeJS.Timeout | undefined;
  /** Set anew each time that memories are stored past the hot store: what it had not answered must be settled first. */
  detour: symbol | undefined;
}

export function notFollowed(): Followed {
  return {
    running: undefined,
    next: undefined,
    position: undefined,
    isRead: false,
    revision: -1,
    floor: 0,
    pausedUntilMs: Number.NEGATIVE_INFINITY,
    behind: 0,
    timer: undefined,
    detour: undefined,
  };
}

export const PAUSE_MS_MIN = 10;
const PAUSE_MS_MAX = 100;

/**
 * When the next step that nobody waits for may begin: after as long as the last one took. What is written meanwhile is copied
 * together, and copying leaves half of the time to writing.
 */
export function pausedUntilMs(startedMs: number, endedMs: number): number {
  return endedMs + Math.min(PAUSE_MS_MAX, Math.max(PAUSE_MS_MIN, endedMs - startedMs));
}
