import type { Content, Json } from './content.ts';
import type { Scope } from './memory.ts';
import type { TimeLike } from './precise-date.ts';
import type { Checkpoint } from './working-memory-types.ts';

export type SessionState = 'active' | 'paused' | 'terminated';
/** `expired`: the session was not written to for too long; only the server sets it. */
export type SessionOutcome = 'success' | 'failure' | 'partial' | 'expired';
export type LifecycleTransition = 'spawn' | 'pause' | 'resume' | 'terminate' | 'delete';
export type Metadata = Readonly<Record<string, string>>;

/** One run or conversation of an agent. */
export interface Session {
  /** Resource name, `namespaces/{namespace}/sessions/{id}`. */
  readonly name: string;
  readonly id: string;
  readonly scope: Scope;
  readonly state: SessionState;
  /** Number of its transitions. */
  readonly version: number;
  readonly metadata: Metadata;
  readonly createTime: Date;
  readonly updateTime: Date;
  /** How long it has been active, pauses left out. */
  readonly activeDurationMs: number;
  /** True while it is paused and its working memory is read-only. */
  readonly frozen: boolean;
  /** Made by its last pause, or restored by its last resume. */
  readonly checkpointId?: string;
  /** Snapshot of its agent's memories, taken by its last pause. */
  readonly agentSnapshotId?: string;
  readonly outcome?: SessionOutcome;
  /** Id of the memory that it was consolidated into. */
  readonly episodeId?: string;
  /** When a terminated session is forgotten. */
  readonly expireTime?: Date;
  /** Time to live, in milliseconds, of values that are set without an expiry; absent: they stay. */
  readonly defaultTtlMs?: number;
  /** Time without a write, in milliseconds, after which it ends; absent: unlimited. */
  readonly idleTtlMs?: number;
  /** Time at which it ends unless it is written to. */
  readonly idleExpireTime?: Date;
}

/** Result of calling a hook. */
export interface HookReport {
  readonly hook: string;
  readonly phase: 'before' | 'after';
  readonly result: 'ok' | 'vetoed' | 'failed' | 'timed_out';
  readonly reason: string;
  readonly durationMs: number;
}

export interface SpawnRequest {
  /** Default: a new one. */
  readonly sessionId?: string;
  /** Project, agent type and agent. */
  readonly scope?: Omit<Scope, 'session'>;
  /** Values that it starts with; plain values are stored as JSON. */
  readonly initialValues?: Readonly<Record<string, Content | Json>>;
  readonly metadata?: Metadata;
  /** Time to live, in milliseconds, of values that are set without an expiry; `never`: they stay. Default: the server's. */
  readonly defaultTtlMs?: number | 'never';
  /** Time without a write, in milliseconds, after which the session ends; `never`: unlimited. Default: the server's. */
  readonly idleTtlMs?: number | 'never';
}

export interface PauseRequest {
  /** Default: a new id. An existing checkpoint is never overwritten. */
  readonly checkpointId?: string;
  readonly description?: string;
  /** How long the checkpoint is kept once the pause has ended, in milliseconds. Default: 7 days. */
  readonly checkpointTtlMs?: number;
  /** Keeps the checkpoint until it is deleted or the session ends. */
  readonly pin?: boolean;
  /** Keeps working memory writable while the session is paused. */
  readonly allowWrites?: boolean;
  /** Also takes a snapshot of the memories of the session's agent. */
  readonly includeMemories?: boolean;
  readonly metadata?: Metadata;
  /** When set, must be the session's version. */
  readonly ifVersion?: number;
}

export interface ResumeRequest {
  /** Default: the checkpoint of the pause. */
  readonly checkpointId?: string;
  /** `replace` (default): the session has exactly the contents of the checkpoint. `merge`: other keys stay. */
  readonly mode?: 'replace' | 'merge';
  /** Restores the memories of the session's agent from the snapshot of the pause. */
  readonly restoreMemories?: boolean;
  readonly metadata?: Metadata;
  readonly ifVersion?: number;
}

export interface TerminateRequest {
  /** Default `success`. */
  readonly outcome?: Exclude<SessionOutcome, 'expired'>;
  /** Default: the description of the task state. */
  readonly taskDescription?: string;
  readonly lessons?: readonly string[];
  readonly actions?: readonly (string | { readonly description: string; readonly time?: TimeLike })[];
  /** 0 to 1. Default: from outcome, lessons and length. */
  readonly importance?: number;
  readonly tokensUsed?: number;
  /** Keys whose values are left out of the episode, as globs. */
  readonly redactKeys?: readonly string[];
  readonly skipEpisode?: boolean;
  readonly keepWorkingMemory?: boolean;
  readonly metadata?: Metadata;
  readonly ifVersion?: number;
}

/** Common part of all answers to transitions. */
export interface TransitionResult {
  readonly hookReports: readonly HookReport[];
  /** Duration until it was durable, including the hooks called before it. */
  readonly durationMs: number;
}

export interface SpawnResult extends TransitionResult {
  readonly session: Session;
  /** Values that it starts with. */
  readonly valueCount: number;
}

export interface PauseResult extends TransitionResult {
  readonly session: Session;
  readonly checkpoint: Checkpoint;
}

export interface ResumeResult extends TransitionResult {
  readonly session: Session;
  /** The checkpoint from which it was resumed. */
  readonly checkpoint: Checkpoint;
  /** Values that were brought back. */
  readonly restoredCount: number;
  /** Values of the checkpoint that have expired since and were left out. */
  readonly expiredCount: number;
}

export interface TerminateResult extends TransitionResult {
  readonly session: Session;
  /** Id of the memory that describes it. */
  readonly episodeId?: string;
  readonly consolidatedCount: number;
  /** True when parts were omitted from the episode because of its size. */
  readonly truncated: boolean;
  readonly clearedCount: number;
  readonly clearedCheckpointCount: number;
}

export interface DeleteSessionRequest {
  /** Deletes a session that is active, too. */
  readonly force?: boolean;
  /** Notes for its event. */
  readonly metadata?: Metadata;
  /** When set, must be the session's version. */
  readonly ifVersion?: number;
}

export interface DeleteSessionResult extends TransitionResult {
  readonly clearedCount: number;
  readonly clearedNoteCount: number;
  readonly clearedCheckpointCount: number;
}

export interface LifecycleEvent {
  /** The same when the event is sent again. */
  readonly id: string;
  readonly transition: LifecycleTransition;
  readonly phase: 'before' | 'after' | 'refused';
  readonly session: Session;
  readonly time: Date;
  readonly metadata: Metadata;
  readonly checkpointId?: string;
  readonly episodeId?: string;
  /** Why it was refused. */
  readonly refusal?: string;
  /** Duration of the transition so far, including the hooks called before it. */
  readonly durationMs: number;
  /** Continues after this event; absent in questions to hooks. */
  readonly resumeToken?: string;
}

export interface LifecycleEventsQuery {
  /** Start of the stream. Default: after the last acknowledgement of `consumer`; without one, with the next event. */
  readonly start?: 'oldest' | { readonly resumeToken: string };
  /** Name of the consumer: the server stores its acknowledgements. */
  readonly consumer?: string;
  readonly scope?: Scope;
  readonly transitions?: readonly LifecycleTransition[];
}

export interface HookRegistration {
  /** Names it in reports. */
  readonly hook: string;
  readonly phases: readonly ('before' | 'after')[];
  readonly transitions?: readonly LifecycleTransition[];
  readonly scope?: Scope;
  /** Longest wait for an answer, in milliseconds, up to 10,000. Default 1,000. */
  readonly timeoutMs?: number;
  /** Hooks of a higher one are asked first, -1,000 to 1,000. Default 0. */
  readonly priority?: number;
  /** Refuses the transition when the hook fails or does not answer in time. */
  readonly required?: boolean;
}

/** Answers a hook's question: `undefined` lets the transition take place, `veto` refuses it, `metadata` adds notes. */
export type HookHandler = (event: LifecycleEvent) => HookAnswer | undefined | Promise<HookAnswer | undefined>;
export type HookAnswer = { readonly veto: string } | { readonly metadata: Metadata };
