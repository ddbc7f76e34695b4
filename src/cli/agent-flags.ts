import type { Json, Metadata, SessionOutcome } from '../../clients/typescript/src/index.ts';
import type { ClientFlags } from './client-flags.ts';

/** Flags of every command that takes a session a step on. */
export interface TransitionFlags extends ClientFlags {
  readonly note?: Metadata;
  readonly ifVersion?: number;
}
export interface SpawnFlags extends TransitionFlags {
  readonly project?: string;
  readonly agentType?: string;
  readonly agent?: string;
  readonly state?: Readonly<Record<string, Json>>;
  /** Milliseconds; `false`: they stay. */
  readonly defaultTtl?: number | false;
  readonly idleTtl?: number | false;
}
export interface PauseFlags extends TransitionFlags {
  readonly checkpoint?: string;
  readonly description?: string;
  readonly keepFor?: number;
  readonly pin?: boolean;
  readonly allowWrites?: boolean;
  readonly memories?: boolean;
}
export interface ResumeFlags extends TransitionFlags {
  readonly checkpoint?: string;
  readonly merge?: boolean;
  readonly memories?: boolean;
}
export interface EndFlags extends TransitionFlags {
  readonly outcome: Exclude<SessionOutcome, 'expired'>;
  readonly task?: string;
  readonly lesson?: readonly string[];
  readonly action?: readonly string[];
  readonly importance?: number;
  readonly tokens?: number;
  readonly redact?: readonly string[];
  readonly keep?: boolean;
  readonly episode: boolean;
}
export interface DeleteFlags extends TransitionFlags {
  readonly force?: boolean;
}
export interface ScopeFlags extends ClientFlags {
  readonly project?: string;
  readonly agentType?: string;
  readonly agent?: string;
}
