import type { Clock } from '../../memory/clock.ts';
import type { HotLoss, MirrorPosition } from '../hot-log.ts';
import type { MemoryStore } from '../memory-store.ts';
import type { HotStore, Mirror } from '../mirror-store.ts';

export interface FollowOptions {
  readonly hot: HotStore;
  readonly cold: MemoryStore;
  readonly mirror: Mirror;
  readonly clock: Clock;
  /** Told when the hot store has lost something, after what the copies have of it was made good. */
  readonly onLoss: (namespace: string, loss: HotLoss) => void;
  /** Told when copies could not be brought up to date without anybody waiting for it. */
  readonly onFailure: (namespace: string, error: unknown) => void;
}

/** How far the copies of a namespace are, and what is being done about it. */
export interface Followed {
  /** What is under way, and whether it began before the last question. */
  running: Promise<void> | undefined;
  next: Promise<void> | undefined;
  /** What the last caller waits for who goes first. */
  reading: Promise<void> | undefined;
  /** Moves under way. */
  movingCount: number;
  /** How often in a row the copies were complete when that was asked while memories moved. */
  currentInARow: number;
  position: MirrorPosition | undefined;
  isRead: boolean;
  /** Revision up to which the copies are complete. */
  revision: number;
  /** Revision that the mirror's is to be at least when it is done. */
  floor: number;
  /** When a caller last waited for the copies, and when the last step began and ended. */
  waitedForMs: number;
  startedMs: number;
  endedMs: number;
  /** Changes that were noted, and those of them that are copied. */
  noted: number;
  copied: number;
  /** Told of each step: whether it has copied something, or failed. */
  readonly onStep: Set<(hasCopied: boolean) => void>;
  /** Of the next one, while no caller waits for it. */
  timer: NodeJS.Timeout | undefined;
  /** Set anew each time that memories are stored past the hot store: what it had not answered must be settled first. */
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
 * Whether copies have everything up to a revision of the hot store. Moves that this server is still making may be missing: their
 * callers have no answer yet.
 */
export function hasReached(hot: HotStore, namespace: string, state: Followed, revision: number): boolean {
  const { revision: after, movingCount } = state;
  if (after >= revision) return true;
  return movingCount > 0 && hot.hasOnlyMoved({ namespace, after, through: revision });
}

/**
 * Whether the copies, as they are at the call, have everything that the hot store has, but for what this server moves. To be asked
 * while memories move.
 */
export async function isCurrent(hot: HotStore, namespace: string, state: Followed): Promise<boolean> {
  if (state.detour) return false;
  const after = state.revision;
  state.waitedForMs = performance.now();
  const is = await hasOnlyMovedSince(hot, namespace, after);
  state.currentInARow = is ? state.currentInARow + 1 : 0;
  return is;
}

/** Answers in a row after which the next one is likely to be the same. */
const LIKELY_AFTER = 3;

export function isLikelyCurrent({ movingCount, currentInARow }: Followed): boolean {
  return movingCount > 0 && currentInARow >= LIKELY_AFTER;
}

async function hasOnlyMovedSince(hot: HotStore, namespace: string, after: number): Promise<boolean> {
  try {
    const { revision: through } = await hot.find({ namespace, ids: [], view: 'metadata' });
    return after >= through || hot.hasOnlyMoved({ namespace, after, through });
  } catch {
    // Who follows the changes finds the same, and makes good what is lost.
    return false;
  }
}

/** Some of what was noted is copied now. */
export function noteCopied(state: Followed, copied: number): void {
  state.copied = Math.max(state.copied, copied);
  notifyStep(state, true);
}

export function notifyStep({ onStep }: Followed, hasCopied: boolean): void {
  const told = [...onStep];
  onStep.clear();
  for (const tell of told) tell(hasCopied);
}

export interface Pace {
  /** Changes after which writers wait for the copies: far fewer than the change log of the hot store holds. */
  readonly behindMax: number;
  /** The pause after a step that no caller waits for: so many times what the step took, within bounds. */
  readonly pauseFactor: number;
  readonly pauseMsMax: number;
}

export const PAUSE_MS_MIN = 10;
const SOON: Pace = { behindMax: 2000, pauseFactor: 1, pauseMsMax: 100 };
const LATER: Pace = { behindMax: 10_000, pauseFactor: 4, pauseMsMax: 500 };
/** Who has waited for copies is likely to do so again. */
const WAITED_FOR_MS = 10_000;

/**
 * How closely copies follow. Soon: copying leaves half of the time to writing. Later, while no caller waits for them and the hot
 * store by itself keeps what it has acknowledged: most of the time is left to writing, and copies are made after the storm.
 */
export function paceOf({ waitedForMs }: Followed, mayLag: boolean, nowMs: number): Pace {
  return mayLag && nowMs - waitedForMs > WAITED_FOR_MS ? LATER : SOON;
}

/** When the next step that no caller waits for may begin: what is written meanwhile is copied together. */
export function pausedUntilMs({ startedMs, endedMs }: Followed, { pauseFactor, pauseMsMax }: Pace): number {
  return endedMs + Math.min(pauseMsMax, Math.max(PAUSE_MS_MIN, pauseFactor * (endedMs - startedMs)));
}
