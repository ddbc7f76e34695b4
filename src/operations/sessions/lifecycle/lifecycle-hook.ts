import type { LifecycleEvent, Notes } from '../../../memory/lifecycle.ts';
import type { Scope } from '../../../memory/memory.ts';
import type { Transition } from '../../../memory/session-state.ts';

/** Somebody who is asked before or after the steps in the lives of sessions. */
export interface LifecycleHook {
  /** Names it in reports. */
  readonly name: string;
  /** Default: all namespaces. */
  readonly namespace?: string;
  readonly phases: readonly ('before' | 'after')[];
  /** Default: all of them. */
  readonly transitions?: readonly Transition[];
  /** Those of a higher one are asked first. Default 0. */
  readonly priority?: number;
  /** Only sessions of this scope: parts that are not empty must be equal. */
  readonly scope?: Scope;
  /** Longest wait for its answer. Default 1 s. */
  readonly timeoutMs?: number;
  /** A before-hook that fails or does not answer in time refuses the transition. Default: it goes on. */
  readonly isRequired?: boolean;
  /** The signal is aborted when nobody waits any more. What it throws is reported as its failure. */
  handle(event: LifecycleEvent, signal: AbortSignal): HookVerdict | Promise<HookVerdict>;
}

/** Nothing: the transition may take place. After-hooks are not asked for a verdict. */
export type HookVerdict = { readonly veto: string } | { readonly metadata: Notes } | undefined;
