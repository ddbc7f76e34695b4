import type { Micros } from '../../memory/memory.ts';
import type { TierPolicy } from '../../memory/tier-policy.ts';
import type { TierMember, TierTotal } from '../../storage/tier-store.ts';
import type { MaintenanceShare } from './maintenance-share.ts';
import type { NewestSteps } from './newest-steps.ts';
import type { PressureReason } from './relief-pass.ts';

/** What of one tier has to leave it, and what that is decided by. */
export interface PlanRequest {
  readonly namespace: string;
  readonly tier: 'short_term' | 'intermediate';
  /** Only memories of this agent. */
  readonly agent: string | undefined;
  readonly policy: TierPolicy;
  readonly steps: NewestSteps;
  /** What the namespace holds, those arriving included. */
  readonly totals: readonly TierTotal[];
  /** Memories that are to come to the tier but are not there yet: in a plan that is not carried out. */
  readonly arriving: readonly TierMember[];
  readonly nowUs: Micros;
  /** Everything goes, whatever the limits. */
  readonly flush: boolean;
  /** Given when memory is short: so many go, whatever the limits, and straight to long-term memory. */
  readonly relief?: Relief;
  /** Memories that are planned to be moved already. */
  readonly without: ReadonlySet<string>;
  /** Others wait for their turn: whoever carries out a batch notes it there before the next one. Absent: nobody waits. */
  readonly share?: MaintenanceShare | undefined;
}

export interface Relief {
  readonly reason: PressureReason;
  readonly count: number;
}
