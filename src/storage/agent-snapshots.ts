import type { Idempotency } from '../memory/call.ts';
import type { Micros, Scope } from '../memory/memory.ts';

/**
 * What agents remembered at one moment. A snapshot is a revision of the change log; former states are there already, and
 * what is erased is kept for the snapshots that have it. All of it is in one store with the memories. Failures:
 * SNAPSHOT_NOT_FOUND, SNAPSHOT_EXISTS, AGENT_TOO_LARGE, NAMESPACE_NOT_FOUND.
 */
export interface AgentSnapshots {
  take(write: SnapshotWrite & { scope: Scope; description: string }): Promise<AgentSnapshot>;
  /** By id, at most `limit`, after `afterId` when given. */
  list(read: { namespace: string; limit: number; afterId?: string }): Promise<AgentSnapshot[]>;
  drop(write: SnapshotWrite): Promise<void>;
  diff(read: AgentDiffRead): Promise<AgentDiff>;
  /** All of the memories or none. */
  restore(write: SnapshotWrite & { embedsLater: boolean }): Promise<AgentRestored>;
  /** All of the memories or none; parts of `to` that are empty stay as they are. To the same agent: FIELD_INVALID. */
  fork(write: SnapshotWrite & { to: Scope; embedsLater: boolean }): Promise<AgentForked>;
}

export interface SnapshotWrite {
  readonly namespace: string;
  readonly id: string;
  readonly atUs: Micros;
  readonly idempotency?: Idempotency;
}

export interface AgentSnapshot {
  readonly id: string;
  /** Parts that are not empty are equal. */
  readonly scope: Scope;
  readonly description: string;
  readonly createdAtUs: Micros;
  readonly revision: number;
}

export interface AgentDiffRead {
  readonly namespace: string;
  readonly id: string;
  /** Absent: the agent as it is now. */
  readonly to?: { readonly snapshot: string } | { readonly scope: Scope };
  readonly nowUs: Micros;
}

/** Ids of memories. */
export interface AgentDiff {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly string[];
}

export interface AgentRestored {
  readonly restoredCount: number;
  readonly erasedCount: number;
  readonly revision: number;
}

export interface AgentForked {
  readonly copiedCount: number;
  readonly revision: number;
}

/** Memories that an agent may have to be compared, restored or forked: all of them are held at once. */
export const AGENT_MEMORIES_MAX = 20_000;
