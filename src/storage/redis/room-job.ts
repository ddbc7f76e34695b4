import type { Idempotency } from '../../memory/call.ts';
import { MnemeError } from '../../memory/errors.ts';
import type { Memory, Micros } from '../../memory/memory.ts';
import type { MirroredMemory } from '../hot-log.ts';
import type { RowView } from './entry-codec.ts';
import type { RoomDraft } from './room-state.ts';

/** A write of one room. It is worked out here, on what was loaded, and takes effect when the room has not changed since. */
export interface Job<O> {
  /** Memories that it is about. */
  readonly ids: readonly string[];
  readonly atUs: Micros;
  readonly idempotency?: Idempotency | undefined;
  /** Outcome to keep for the request id in place of its own. */
  readonly toKeep?: unknown;
  /** The ids are most likely free, so that nothing need be loaded. */
  readonly isFresh?: boolean;
  /** Frees memory, or comes right before what does, as lossy compaction; and so may run when there is none left. */
  readonly frees?: boolean;
  /** What it has to know of them. Absent: all. */
  readonly view?: RowView;
  /** Whole copies of memories that it takes away: of those that are still so the bytes need not be read again. */
  readonly copies?: readonly MirroredMemory[];
  /** The same of memories that another store has, without what only Redis knows of them; each gives its checksum. */
  readonly unchanged?: readonly Memory[];
  /** Changes nothing but the tiers of memories, or lets go of those that another store has as they are. */
  readonly onlyMoves?: boolean;
  /** Works on what is left of a room that Redis has lost something of. */
  readonly isRecovery?: boolean;
  /** Makes the namespace by itself when it is not there. */
  readonly createsRoom?: boolean;
  run(draft: RoomDraft): O;
}

export interface Waiting {
  readonly job: Job<unknown>;
  readonly resolve: (outcome: unknown) => void;
  readonly reject: (error: unknown) => void;
}

export function requestIds({ idempotency }: Job<unknown>): string[] {
  return idempotency ? [idempotency.requestId] : [];
}

/** What has to be loaded of the memories that they are about. */
export function viewFor(jobs: readonly Job<unknown>[]): RowView {
  const [view = 'full', ...others] = jobs.map((job) => job.view);
  return others.every((other) => other === view) ? view : 'full';
}

const BATCH_MIN = 32;
const BATCH_MAX = 128;
/** Redis answers nobody else while it does them. */
const MEMORIES_MAX = 2000;

/**
 * How many of those that wait go together: no more than half of many, so that Redis works on one half while the other is made, and
 * no more than are about so many memories. Each job of moves goes by itself: those who read would wait for all of them. What may
 * be done of a room that Redis has lost something of goes without what may not, and would fail with it.
 */
export function batchSizeOf(waiting: readonly Waiting[]): number {
  const most = Math.min(BATCH_MAX, Math.max(BATCH_MIN, Math.ceil(waiting.length / 2)));
  let memories = 0;
  const isRecovery = waiting[0]?.job.isRecovery === true;
  const end = waiting.slice(0, most).findIndex(({ job }) => {
    memories += job.ids.length;
    return job.onlyMoves || (job.isRecovery === true) !== isRecovery || memories > MEMORIES_MAX;
  });
  return end < 0 ? most : Math.max(1, end);
}

/** What of those that failed together can do without the others: what frees memory, where there was none left for them. */
export function freeingAmong(failed: readonly Waiting[], error: unknown): readonly Waiting[] {
  if (!(error instanceof MnemeError) || error.reason !== 'STORAGE_FULL') return [];
  const freeing = failed.filter(({ job }) => job.frees);
  return freeing.length < failed.length ? freeing : [];
}
