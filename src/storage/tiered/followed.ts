import type { Clock } from '../../memory/clock.ts';
import type { HotLoss, MirrorPosition } from '../hot-log.ts';
import type { MemoryStore } from '../memory-store.ts';
import type { HotStore, Mirror } from '../mirror-store.ts';

export interface FollowOptions {
  readonly hot: HotStore;
  readonly cold: MemoryStore;
  readonly mirror: Mirror;
  readonly clock: Clock;
  /** Called when the hot store has lost data, after it was repaired from the copies. */
  readonly onLoss: (namespace: string, loss: HotLoss) => void;
  /** Called when a background update of the copies has failed. */
  readonly onFailure: (namespace: string, error: unknown) => void;
}

/** Position of the copies of a namespace, and the work in progress. */
export interface Followed {
  /** The step in progress, and whether it began before the last request. */
  running: Promise<void> | undefined;
  next: Promise<void> | undefined;
  /** The step that the last caller with precedence waits for. */
  reading: Promise<void> | undefined;
  /** Moves in progress. */
  movingCount: number;
  /** Successive checks in which the copies were complete while memories moved. */
  currentInARow: number;
  position: MirrorPosition | undefined;
  isRead: boolean;
  /** Revision up to which the copies are complete. */
  revision: number;
  /** Lower limit of the mirror's revision at the end. */
  floor: number;
  /** Time when a caller last waited for the copies, and start and end of the last step. */
  waitedForMs: number;
  startedMs: number;
  endedMs: number;
  /** Recorded changes, and those of them that are copied. */
  noted: number;
  copied: number;
  /** Called after each step: whether it has copied data, or failed. */
  readonly onStep: Set<(hasCopied: boolean) => void>;
  /** Timer of the next step, while no caller waits for it. */
  timer: NodeJS.Timeout | undefined;
  /** Set each time that memories are stored past the hot store: its unanswered writes must be settled first. */
  detour: symbol | undefined;
}

export function notFollowed(): Followed {
  const never = Number.NEGATIVE_INFINITY;
  return {
    running: undefined,
    next: undefined,
    reading: undefined,
    movingCount: 0,
    currentInARow: 0,
    position: undefined,
    isRead: false,
    revision: -1,
    floor: 0,
    waitedForMs: never,
    startedMs: 0,
    endedMs: never,
    noted: 0,
    copied: 0,
    onStep: new Set(),
    timer: undefined,
    detour: undefined,
  };
}

/**
 * Whether copies have everything up to a revision of the hot store, except moves in progress at this server, whose
 * callers have no answer yet.
 */
export function hasReached(hot: HotStore, namespace: string, state: Followed, revision: number): boolean {
  const { revision: after, movingCount } = state;
  if (after >= revision) return true;
  return movingCount > 0 && hot.hasOnlyMoved({ namespace, after, through: revision });
}

/**
 * Whether the copies, at the time of the call, have all data of the hot store, except moves by this server. To be
 * called while memories move.
 */
export async function isCurrent(hot: HotStore, namespace: string, state: Followed): Promise<boolean> {
  if (state.detour) return false;
  const after = state.revision;
  state.waitedForMs = performance.now();
  const is = await hasOnlyMovedSince(hot, namespace, after);
  state.currentInARow = is ? state.currentInARow + 1 : 0;
  return is;
}

/** Equal answers in a row after which the next one is predicted. */
const LIKELY_AFTER = 3;

export function isLikelyCurrent({ movingCount, currentInARow }: Followed): boolean {
  return movingCount > 0 && currentInARow >= LIKELY_AFTER;
}

async function hasOnlyMovedSince(hot: HotStore, namespace: string, after: number): Promise<boolean> {
  try {
    const { revision: through } = await hot.find({ namespace, ids: [], view: 'metadata' });
    return after >= through || hot.hasOnlyMoved({ namespace, after, through });
  } catch {
    // The follower detects the same loss, and repairs it.
    return false;
  }
}

/** Some of the recorded changes are copied now. */
export function noteCopied(state: Followed, copied: number): void {
  state.copied = Math.max(state.copied, copied);
  notifyStep(state, true);
}

export function notifyStep({ onStep }: Followed, hasCopied: boolean): void {
  const callbacks = [...onStep];
  onStep.clear();
  for (const notify of callbacks) notify(hasCopied);
}

export interface Pace {
  /** Changes after which writers wait for the copies: far fewer than the change log of the hot store holds. */
  readonly behindMax: number;
  /** Pause after a background step: a multiple of its duration, within bounds. */
  readonly pauseFactor: number;
  readonly pauseMsMax: number;
}

export const PAUSE_MS_MIN = 10;
const SOON: Pace = { behindMax: 2000, pauseFactor: 1, pauseMsMax: 100 };
const LATER: Pace = { behindMax: 10_000, pauseFactor: 4, pauseMsMax: 500 };
/** A caller that has waited for copies will probably wait again. */
const WAITED_FOR_MS = 10_000;

/**
 * How closely copies follow. Soon: copying leaves half of the time to writes. Later, while no caller waits and the hot
 * store alone is durable enough: most of the time is left to writes, and copies are made after the load.
 */
export function paceOf({ waitedForMs }: Followed, mayLag: boolean, nowMs: number): Pace {
  return mayLag && nowMs - waitedForMs > WAITED_FOR_MS ? LATER : SOON;
}

/** Earliest start of the next background step: changes until then are copied together. */
export function pausedUntilMs({ startedMs, endedMs }: Followed, { pauseFactor, pauseMsMax }: Pace): number {
  return endedMs + Math.min(pauseMsMax, Math.max(PAUSE_MS_MIN, pauseFactor * (endedMs - startedMs)));
}
