import type { Scope } from './memory.ts';
import type { TimeLike } from './precise-date.ts';

/** How a task went. */
export type TaskOutcome = 'success' | 'failure' | 'partial';

export interface NewEpisode {
  /** What was to be done. */
  readonly task: string;
  readonly outcome: TaskOutcome;
  /** Owner of the episode. Default: the whole namespace. */
  readonly scope?: Scope;
  /** What was learned, at most 64. */
  readonly lessons?: readonly string[];
  /** What was done, in order, at most 64. */
  readonly actions?: readonly string[];
  /** How long it took. */
  readonly durationMs?: number;
  readonly tokensUsed?: number;
  /** 0 to 1. Default: by outcome, lessons and duration. */
  readonly importance?: number;
  /** When it ended. Default: now. */
  readonly eventTime?: TimeLike;
}

export interface RecordedEpisode {
  /** Resource name of the memory of the episode. */
  readonly name: string;
  readonly id: string;
  readonly importance: number;
  readonly revision: number;
}

export interface NewProcedure {
  /** What it does, such as `restart the indexer`. */
  readonly title: string;
  /** Steps in order, 1 to 100. */
  readonly steps: readonly string[];
  /** When it applies. */
  readonly situation?: string;
  /** Owner of the procedure. Default: the whole namespace. */
  readonly scope?: Scope;
}

/** How something is done. */
export interface Procedure {
  /** Resource name of its memory. */
  readonly name: string;
  readonly id: string;
  readonly scope: Scope;
  readonly title: string;
  readonly situation: string;
  readonly steps: readonly string[];
  readonly successCount: number;
  readonly failureCount: number;
  readonly partialCount: number;
  /** (successes + partial successes / 2 + 1) / (outcomes + 2): 0.5 without outcomes. */
  readonly successRate: number;
  /** Notes of the last 20 outcomes that had one, the newest last. */
  readonly notes: readonly string[];
  readonly version: number;
}

export interface RecordProcedureResult {
  readonly procedure: Procedure;
  /** True when the procedure was not known before. */
  readonly created: boolean;
  readonly revision: number;
}

/** A procedure that fits a situation. */
export interface FoundProcedure {
  readonly procedure: Procedure;
  /** Probability that it applies, 0 to 1. */
  readonly relevance: number;
  /** Relevance times success rate. */
  readonly score: number;
}
