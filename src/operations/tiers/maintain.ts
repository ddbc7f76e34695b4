import type { Call } from '../../memory/call.ts';
import { namespaceNames } from '../namespaces/namespace-names.ts';
import type { MaintenanceStep } from './carry-out-moves.ts';
import { maintainNamespaces } from './maintain-namespaces.ts';
import { ReliefPass } from './relief-pass.ts';
import type { TierDeps } from './tier-policy-of.ts';

export interface MaintainRequest {
  /** Absent: all of them. */
  readonly namespace?: string;
  /** Only memories of this agent; absent: of all. */
  readonly agent?: string;
  /** Plans without moving anything. */
  readonly dryRun: boolean;
  /** Moves everything down to long-term memory. */
  readonly flush: boolean;
  /** Long-term memory takes any type. */
  readonly anyType: boolean;
}

/**
 * Moves down what has been in its tier for too long or is over a limit, and some more where memory is short, in small steps,
 * and tells of each. Of all namespaces: one that cannot be maintained keeps no other from it, and the first failure
 * is told at the end; one that is deleted meanwhile is passed over.
 */
export async function* maintain(
  deps: TierDeps,
  request: MaintainRequest,
  { signal }: Pick<Call, 'signal'>,
): AsyncGenerator<MaintenanceStep> {
  const { namespace, agent, dryRun, flush } = request;
  const relief = (flush ? undefined : await deps.pressure?.beginPass({ isAsked: true })) ?? new ReliefPass([]);
  const namespaces = namespace === undefined ? namespaceNames(deps.store) : [namespace];
  const isGoneFailure = namespace !== undefined;
  yield* maintainNamespaces(deps, namespaces, { ...request, relief, isAsked: true, isGoneFailure }, signal);
  // What a part of the memories has freed says nothing of what all of them would.
  if (!dryRun && namespace === undefined && agent === undefined) await deps.pressure?.endPass(relief);
}
