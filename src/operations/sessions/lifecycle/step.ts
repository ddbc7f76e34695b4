import type { Life, LivingSession, Notes } from '../../../memory/lifecycle.ts';
import type { Micros } from '../../../memory/memory.ts';
import type { SessionRecord, SessionState } from '../../../memory/session.ts';
import type { StoreWrite } from '../../../storage/memory-store.ts';
import type { OpResult, SessionOp, SessionWrite } from '../../../storage/session-store.ts';
import type { HookReport } from './hooks.ts';

/** What a transition does to a session, beside its state. */
export interface Step {
  readonly to: SessionState;
  readonly isFrozen: boolean;
  /** Done before the state changes, in the same write. */
  readonly ops: readonly SessionOp[];
  readonly life?: Partial<Pick<Life, 'checkpointId' | 'agentSnapshotId' | 'outcome' | 'episodeId'>>;
  readonly expiresAtUs?: Micros;
  readonly erases?: boolean;
  readonly create?: SessionWrite['create'];
  readonly ifRevision?: number;
  readonly episode?: StoreWrite;
  /** Kept for the request id beside what the write did. */
  readonly answer?: object;
  /** Put into the session's own record until the next transition. */
  readonly intent?: object;
  /** The transition is only begun: its event and the record of its request come with the end of it. */
  readonly isBegun?: boolean;
}

/** What every answer to a transition tells. */
export interface Told {
  readonly hookReports: readonly HookReport[];
  readonly revision: number;
  /** How long it took until it was durable, with the hooks that were asked before it. */
  readonly durationMs: number;
}

export interface Stepped extends Told {
  readonly record: SessionRecord;
  /** Of the step's operations. */
  readonly results: readonly OpResult[];
  readonly answer: Readonly<Record<string, unknown>>;
  /** False where an earlier call with the same request id has done it. */
  readonly isNew: boolean;
}

/** What a step is decided on. */
export interface Standing {
  readonly session: LivingSession;
  readonly record: SessionRecord | undefined;
  readonly metadata: Notes;
  readonly hookReports: readonly HookReport[];
  readonly nowUs: Micros;
  /** When the call began, by the monotonic clock. */
  readonly startedAtMs: number;
}
