import { setTimeout as sleep } from 'node:timers/promises';
import type { Call } from '../memory/call.ts';
import { MnemeError } from '../memory/errors.ts';
import { carryOutMoves, type MaintenanceStep } from './carry-out-moves.ts';
import type { Pressure } from './memory-pressure.ts';
import { namespaceNames } from './namespace-names.ts';
import { NewestSteps } from './newest-steps.ts';
import { plannedBatches } from './planned-batches.ts';
import { policyOf, type TierDeps } from './tier-policy-of.ts';
import { turns } from './turns.ts';

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
  /** Stops after about so many moves. */
  readonly movesMax?: number;
}

/** Moves are background work: those who recall meanwhile would wait for what goes faster. */
const MOVES_PER_S_MAX = 5200;

/**
 * Moves down what has been in its tier for too long or is over a limit, and some more where memory is short, in small steps,
 * and tells of each. Of all namespaces: one that cannot be maintained keeps no other from it, and the first failure
 * is told at the end; one that is deleted meanwhile is passed over.
 */
export async function* maintain(
  deps: TierDeps,
  request: MaintainRequest,
  call: Pick<Call, 'signal'>,
): AsyncGenerator<MaintenanceStep> {
  let left = request.movesMax ?? Number.POSITIVE_INFINITY;
  const pressures = request.flush ? [] : ((await deps.pressure?.look()) ?? []);
  const namespaces = request.namespace === undefined ? namespaceNames(deps.store) : [request.namespace];
  let failure: { readonly error: unknown } | undefined;
  for await (const namespace of namespaces) {
    try {
      let startedMs = performance.now();
      for await (const step of maintainOne(deps, namespace, request, pressures)) {
        left -= step.moves.length;
        yield step;
        if (!request.dryRun) await rested(step.moves.length, startedMs);
        startedMs = performance.now();
        if (call.signal.aborted)
          throw new MnemeError('CANCELLED', 'the call was cancelled; what it has moved stays moved');
        if (left <= 0) break;
        await turns.wait();
      }
    } catch (error) {
      if (call.signal.aborted) throw error;
      const isGone = error instanceof MnemeError && error.reason === 'NAMESPACE_NOT_FOUND';
      if (!isGone || request.namespace !== undefined) failure ??= { error };
    }
    if (left <= 0) break;
    await turns.wait();
  }
  if (failure) throw failure.error;
}

/** Waits until so many moves may be done that began at an instant. */
async function rested(count: number, startedMs: number): Promise<void> {
  const restMs = startedMs + (count * 1000) / MOVES_PER_S_MAX - performance.now();
  if (restMs > 0) await sleep(restMs);
}

async function* maintainOne(
  deps: TierDeps,
  namespace: string,
  request: MaintainRequest,
  pressures: readonly Pressure[],
): AsyncGenerator<MaintenanceStep> {
  const { tiers, clock } = deps;
  const { agent, dryRun, flush, anyType } = request;
  const kept = await policyOf(deps, namespace);
  const policy = anyType ? { ...kept, longTermTypes: [] } : kept;
  const steps = new NewestSteps(deps.store, namespace, policy.importance.decay);
  const pressure = pressures.find(({ concerns }) => concerns(namespace));
  // A pass that nobody asked for is noted when it moves something.
  let isNoted = dryRun;
  const note = async (): Promise<void> => {
    if (!isNoted) await tiers.setMaintained({ namespace, atUs: clock.nowUs() });
    isNoted = true;
  };
  if (request.movesMax === undefined) await note();
  const plan = { namespace, agent, policy, steps, dryRun, flush, pressure };
  for await (const moves of plannedBatches(deps, plan)) {
    if (dryRun) {
      yield { namespace, moves, damagedIds: [] };
      continue;
    }
    await note();
    const step = await carryOutMoves(deps, namespace, moves, policy.rules[moves[0]?.to ?? 'long_term'].resolution);
    if (pressure && moves[0]?.reason === pressure.reason) deps.pressure?.noteMoves(step.moves.length, clock.nowUs());
    yield step;
  }
}
