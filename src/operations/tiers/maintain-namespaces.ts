import { isNamespaceMissing, MnemeError } from '../../memory/errors.ts';
import { turns } from '../memories/turns.ts';
import { carryOutMoves, type MaintenanceStep } from './carry-out-moves.ts';
import { MaintenanceShare } from './maintenance-share.ts';
import { NewestSteps } from './newest-steps.ts';
import { plannedBatches } from './planned-batches.ts';
import type { ReliefPass } from './relief-pass.ts';
import { policyOf, type TierDeps } from './tier-policy-of.ts';

export interface MaintenanceOrder {
  /** Only memories of this agent; absent: of all. */
  readonly agent?: string;
  readonly dryRun: boolean;
  readonly flush: boolean;
  readonly anyType: boolean;
  /** For what is short of memory. */
  readonly relief: ReliefPass;
  /** Somebody has asked for it: that a namespace was maintained is noted whether or not anything moves. */
  readonly isAsked: boolean;
  /** A namespace that is not there is a failure like any other. */
  readonly isGoneFailure: boolean;
  /** Most moves of a namespace for each reason; absent: all there are. */
  readonly movesMax?: number;
  /** Told of a namespace that has more to be moved than it may. */
  readonly onCut?: (namespace: string) => void;
}

/** Maintains one namespace after the other, each whatever becomes of the others. Fails at the end with the first failure. */
export async function* maintainNamespaces(
  deps: TierDeps,
  namespaces: Iterable<string> | AsyncIterable<string>,
  order: MaintenanceOrder,
  signal: AbortSignal,
): AsyncGenerator<MaintenanceStep> {
  let failure: { readonly error: unknown } | undefined;
  for await (const namespace of namespaces) {
    try {
      for await (const step of maintainOne(deps, namespace, order)) {
        yield step;
        if (signal.aborted) throw new MnemeError('CANCELLED', 'the call was cancelled; what it has moved stays moved');
        await turns.wait();
      }
    } catch (error) {
      if (signal.aborted) throw error;
      const isGone = isNamespaceMissing(error);
      if (!isGone || order.isGoneFailure) failure ??= { error };
    }
    await turns.wait();
  }
  if (failure) throw failure.error;
}

async function* maintainOne(
  deps: TierDeps,
  namespace: string,
  order: MaintenanceOrder,
): AsyncGenerator<MaintenanceStep> {
  const { tiers, clock } = deps;
  const { agent, dryRun, flush, anyType, movesMax } = order;
  const kept = await policyOf(deps, namespace);
  const policy = anyType ? { ...kept, longTermTypes: [] } : kept;
  const steps = new NewestSteps(deps.store, namespace, policy.importance.decay);
  const pressure = order.relief.pressureOf(namespace);
  const share = movesMax === undefined ? undefined : new MaintenanceShare(movesMax);
  // A pass that nobody asked for is noted when it moves something.
  let isNoted = dryRun;
  const note = async (): Promise<void> => {
    if (!isNoted) await tiers.setMaintained({ namespace, atUs: clock.nowUs() });
    isNoted = true;
  };
  if (order.isAsked) await note();
  const plan = { namespace, agent, policy, steps, dryRun, flush, pressure, share };
  for await (const moves of plannedBatches(deps, plan)) {
    if (dryRun) {
      yield { namespace, moves, damagedIds: [] };
      continue;
    }
    await note();
    const { resolution } = policy.rules[moves[0]?.to ?? 'long_term'];
    const step = await carryOutMoves(deps, namespace, moves, resolution);
    share?.note(step.moves.length);
    if (pressure && moves[0]?.reason === pressure.reason) {
      order.relief.noteMoves(pressure, step.moves.length);
      deps.pressure?.noteMoves(step.moves.length, clock.nowUs());
    }
    yield step;
  }
  if (share?.isCut) order.onCut?.(namespace);
}
