import type { Idempotency } from '../memory/call.ts';
import { MnemeError } from '../memory/errors.ts';
import type { Micros, Scope } from '../memory/memory.ts';

/**
 * Snapshots of agents' memories at one instant. A snapshot is a revision of the change log, which holds former states;
 * erased memories are kept for the snapshots that contain them. All data is in one store with the memories. Failures:
 * SNAPSHOT_NOT_FOUND, SNAPSHOT_EXISTS, AGENT_TOO_LARGE, NAMESPACE_NOT_FOUND.
 */
export interface AgentSnapshots {
  take(write: SnapshotWrite & { scope: Scope; description: string }): Promise<AgentSnapshot>;
  /** By id, at most `limit`, after `afterId` if present. */
  list(read: { namespace: string; limit: number; afterId?: string }): Promise<AgentSnapshot[]>;
  drop(write: SnapshotWrite): Promise<void>;
  diff(read: AgentDiffRead): Promise<AgentDiff>;
  /** Restores all of the memories or none. */
  restore(write: SnapshotWrite & { embedsLater: boolean }): Promise<AgentRestored>;
  /** Copies all of the memories or none; empty parts of `to` keep their values. To the same agent: FIELD_INVALID. */
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
  /** Memories match in all non-empty parts. */
  readonly scope: Scope;
  readonly description: string;
  readonly createdAtUs: Micros;
  readonly revision: number;
}

export interface AgentDiffRead {
  readonly namespace: string;
  readonly id: string;
  /** Absent: the present memories of the agent. */
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

/** Maximum memories of an agent that is compared, restored or forked: all of them are in memory at once. */
export const AGENT_MEMORIES_MAX = 20_000;

export function snapshotNotFound(id: string): MnemeError {
  return new MnemeError('SNAPSHOT_NOT_FOUND', `there is no snapshot ${JSON.stringify(id)} of an agent`, {
    metadata: { snapshot: id },
  });
}
