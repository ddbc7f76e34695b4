import type { Call } from '../../../memory/call.ts';
import { isNamespaceMissing, isStillBuilding, MnemeError } from '../../../memory/errors.ts';
import { UPPER_TIERS } from '../../../memory/memory.ts';
import type { TierPolicy } from '../../../memory/tier-policy.ts';
import type { TierMember, TierTotal } from '../../../storage/tiers.ts';
import { namespaceNames } from '../namespaces/namespaces.ts';
import { turns } from '../turns.ts';
import { carryOutMoves, type MaintenanceStep } from './carry-out-moves.ts';
import { MaintenanceShare, MovePlan, NewestSteps, type PlannedMove } from './planned-moves.ts';
import { type Pressure, ReliefPass } from './relief-pass.ts';
import { policyOf, type TierDeps } from './tier-config.ts';

export interface MaintenanceOrder {
  /** Only memories of this agent; absent: of all. */
  readonly agent?: string;
  readonly dryRun: boolean;
  readonly flush: boolean;
  readonly anyType: boolean;
  /** The current relief of memory shortage. */
  readonly relief: ReliefPass;
  /** Requested by a caller: maintenance is then logged whether or not memories were moved. */
  readonly isAsked: boolean;
  /** A namespace that is not there is a failure like any other. */
  readonly isGoneFailure: boolean;
  /** Most moves of a namespace for each reason; absent: all there are. */
  readonly movesMax?: number;
  /** Called for a namespace that has more to move than its share. */
  readonly onCut?: (namespace: string) => void;
}

/** Maintains the namespaces in sequence, independently. Fails at the end with the first failure. */
export async function* maintainNamespaces(
  deps: TierDeps,
  namespaces: Iterable<string> | AsyncIterable<string>,
  order: MaintenanceOrder,
  signal: AbortSignal,
): AsyncGenerator<MaintenanceStep> {
  let failure: { readonly error: unknown } | undefined;
  const idle = order.isAsked ? undefined : deps.idle;
  for await (const namespace of namespaces) {
    try {
      if (await idle?.has(namespace)) continue;
      let hasMoved = false;
      for await (const step of maintainOne(deps, namespace, order)) {
        hasMoved = true;
        yield step;
        if (signal.aborted)
          throw new MnemeError('CANCELLED', 'the call was cancelled; memories already moved stay moved');
        await turns.wait();
      }
      if (!hasMoved) await idle?.note(namespace);
    } catch (error) {
      if (signal.aborted) throw error;
      const isGone = isNamespaceMissing(error);
      // It is tried again in the next round, before its view may be evicted.
      if (order.onCut && isStillBuilding(error)) order.onCut(namespace);
      else if (!isGone || order.isGoneFailure) failure ??= { error };
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
  const { store, view, clock } = deps;
  const { agent, dryRun, flush, anyType, movesMax } = order;
  const kept = await policyOf(deps, namespace);
  const policy = anyType ? { ...kept, longTermTypes: [] } : kept;
  const steps = new NewestSteps(view, namespace, policy.importance.decay);
  const pressure = order.relief.pressureOf(namespace);
  const share = movesMax === undefined ? undefined : new MaintenanceShare(movesMax);
  // A background pass is logged only when it moves memories.
  let isNoted = dryRun;
  const note = async (): Promise<void> => {
    if (!isNoted) await store.write({ kind: 'setMaintained', namespace, atUs: clock.nowUs() });
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

export interface BatchesRequest {
  readonly namespace: string;
  readonly agent: string | undefined;
  readonly policy: TierPolicy;
  readonly steps: NewestSteps;
  readonly dryRun: boolean;
  readonly flush: boolean;
  /** Set when memory is short. */
  readonly pressure: Pressure | undefined;
  /** Others wait for their turn. */
  readonly share: MaintenanceShare | undefined;
}

/** Share of a namespace's upper tiers moved in one pass when memory is short: the next pass measures again. */
const RELIEF_SHARE = 0.1;

/** The memories to move out of the tiers of a namespace, batch after batch. A dry run moves nothing between batches. */
async function* plannedBatches(deps: TierDeps, request: BatchesRequest): AsyncGenerator<PlannedMove[]> {
  const { view, clock } = deps;
  const { namespace, dryRun } = request;
  const arriving: TierMember[] = [];
  const relieved: TierMember[] = [];
  // First: moves between tiers of one store need memory before they free any.
  if (request.pressure) {
    for await (const moves of reliefBatches(deps, request, request.pressure)) {
      relieved.push(...moves.map(({ member }) => member));
      yield moves;
    }
  }
  for (const tier of UPPER_TIERS) {
    const nowUs = clock.nowUs();
    const totals = [
      ...(await view.totals(namespace)),
      ...arriving.map((member) => totalOf(namespace, member, 1)),
      ...(dryRun ? relieved.map((member) => totalOf(namespace, member, -1)) : []),
    ];
    const without = new Set(relieved.map(({ id }) => id));
    for await (const moves of new MovePlan(view, { ...request, tier, totals, arriving, nowUs, without }).batches()) {
      if (dryRun) for (const { member, to } of moves) arriving.push({ ...member, tier: to, tierSinceUs: nowUs });
      yield moves;
    }
  }
}

/** The worst of intermediate memory, and where that is not enough of short-term memory: straight to long-term memory. */
async function* reliefBatches(
  { view, clock }: TierDeps,
  request: BatchesRequest,
  { reason, pending }: Pressure,
): AsyncGenerator<PlannedMove[]> {
  const { namespace, share } = request;
  const totals = await view.totals(namespace);
  const held = totals.reduce((sum, { tier, count }) => sum + (tier === 'long_term' ? 0 : count), 0);
  let left = pending.get(namespace) ?? Math.ceil(held * RELIEF_SHARE);
  for (const tier of ['intermediate', 'short_term'] as const) {
    if (left <= 0 || share?.isCut) break;
    const relief = { reason, count: left };
    const plan = { ...request, tier, totals, arriving: [], nowUs: clock.nowUs(), relief, without: new Set<string>() };
    for await (const moves of new MovePlan(view, plan).batches()) {
      left -= moves.length;
      yield moves;
    }
  }
  pending.set(namespace, share?.isCut ? left : 0);
}

function totalOf(namespace: string, member: TierMember, sign: 1 | -1): TierTotal {
  const { tier, agent, type, contentBytes } = member;
  return { namespace, tier, agent, type, count: sign, contentBytes: sign * contentBytes };
}

export interface MaintainRequest {
  /** Absent: all of them. */
  readonly namespace?: string;
  /** Only memories of this agent; absent: of all. */
  readonly agent?: string;
  /** Plans without moving. */
  readonly dryRun: boolean;
  /** Moves everything to long-term memory. */
  readonly flush: boolean;
  /** Long-term memory accepts any type. */
  readonly anyType: boolean;
}

/**
 * Moves memories down that exceeded their tier's time to live or limits, and more where memory is short, in small
 * steps, and reports each. For all namespaces: a failure in one does not stop the others, and the first failure is
 * thrown at the end; a namespace deleted in the meantime is skipped.
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
  // A partial pass says nothing about the effect of a complete one.
  if (!dryRun && namespace === undefined && agent === undefined) await deps.pressure?.endPass(relief);
}
