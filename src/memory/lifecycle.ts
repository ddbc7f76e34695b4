import type { Micros, Scope } from './memory.ts';
import type { SessionState, Transition } from './session.ts';

/** Only the server sets `expired`, for sessions that were idle for too long. */
export type Outcome = 'success' | 'failure' | 'partial' | 'expired';

/** The caller's own words about a session, by name. */
export type Notes = Readonly<Record<string, string>>;

/** A session as callers and hooks see it. */
export interface LivingSession {
  readonly namespace: string;
  readonly id: string;
  /** With the session's id as its session. */
  readonly scope: Scope;
  readonly state: SessionState;
  /** Number of its transitions. */
  readonly generation: number;
  readonly metadata: Notes;
  readonly createdAtUs: Micros;
  readonly updatedAtUs: Micros;
  readonly isFrozen: boolean;
  readonly life: Life;
  /** Time to live of keys that are set without one, in microseconds; 0: they stay. */
  readonly defaultTtlUs: Micros;
  /** Time without a write after which it ends, in microseconds; 0: it stays. */
  readonly idleTtlUs: Micros;
  /** Time at which the session ends unless it is written to. */
  readonly idleAtUs?: Micros;
  /** When a terminated session is forgotten. */
  readonly expiresAtUs?: Micros;
}

/** Lifecycle data that the transitions of a session record, in addition to its state. */
export interface Life {
  /** How long it was active until `activeSinceUs`, pauses left out. */
  readonly activeUs: Micros;
  /** Since when it is active; absent while it is not. */
  readonly activeSinceUs?: Micros;
  /** Made by its last pause or restored by its last resume; empty when there was none. */
  readonly checkpointId: string;
  /** Snapshot of the agent's memories taken by the last pause; empty when none was taken. */
  readonly agentSnapshotId: string;
  readonly outcome?: Outcome;
  /** Id of the memory that it was consolidated into; empty when there is none. */
  readonly episodeId: string;
  /** The session's transitions, oldest first, at most `STEPS_MAX`: the first and the latest ones. */
  readonly steps: readonly LifeStep[];
}

export interface LifeStep {
  readonly transition: Transition;
  readonly atUs: Micros;
}

export type Phase = 'before' | 'after' | 'refused';

/** The report of a transition. */
export interface LifecycleEvent {
  /** Unique in its namespace; the same when the event is sent again. */
  readonly id: string;
  readonly transition: Transition;
  readonly phase: Phase;
  readonly session: LivingSession;
  readonly atUs: Micros;
  /** Notes of the transition: the request's and the hooks'. */
  readonly metadata: Notes;
  readonly checkpointId: string;
  readonly episodeId: string;
  /** Why it was refused; empty otherwise. */
  readonly refusal: string;
  /** Duration of the transition up to the report, including the hooks that were called before it. */
  readonly durationMs: number;
}

const STEPS_MAX = 200;

export const NEW_LIFE: Life = { activeUs: 0, checkpointId: '', agentSnapshotId: '', episodeId: '', steps: [] };

/** Total time that the session was active. A clock that was set back subtracts nothing. */
export function activeUs({ activeUs: before, activeSinceUs }: Life, nowUs: Micros): Micros {
  return before + (activeSinceUs === undefined ? 0 : Math.max(0, nowUs - activeSinceUs));
}

/** The life after a transition at an instant. */
export function lifeAfter(
  life: Life,
  transition: Transition,
  atUs: Micros,
  changes: Partial<Pick<Life, 'checkpointId' | 'agentSnapshotId' | 'outcome' | 'episodeId'>> = {},
): Life {
  const { activeSinceUs: _, ...rest } = life;
  const isActive = transition === 'spawn' || transition === 'resume';
  return {
    ...rest,
    ...changes,
    activeUs: activeUs(life, atUs),
    ...(isActive ? { activeSinceUs: atUs } : {}),
    steps: withStep(life.steps, { transition, atUs }),
  };
}

/** When there are too many steps, the oldest one after the first is dropped. */
function withStep(steps: readonly LifeStep[], step: LifeStep): readonly LifeStep[] {
  if (steps.length < STEPS_MAX) return [...steps, step];
  return [...steps.slice(0, 1), ...steps.slice(2), step];
}

/** Notes with others added; an empty value removes one. */
export function withNotes(notes: Notes, added: Notes): Notes {
  const all = Object.entries({ ...notes, ...added });
  return Object.fromEntries(all.filter(([, value]) => value !== ''));
}
