import type { Call } from '../../memory/call.ts';
import { isNamespaceMissing, MnemeError } from '../../memory/errors.ts';
import { UPPER_TIERS } from '../../memory/memory.ts';
import type { TierPolicy } from '../../memory/tier-policy.ts';
import type { TierMember, TierTotal } from '../../storage/tier-store.ts';
import { turns } from '../memories/store-memories.ts';
import { namespaceNames } from '../namespaces/namespaces.ts';
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
  // A background pass is noted when it moves something.
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

export interface BatchesRequest {
  readonly namespace: string;
  readonly agent: string | undefined;
  readonly policy: TierPolicy;
  readonly steps: NewestSteps;
  readonly dryRun: boolean;
  readonly flush: boolean;
  /** Given when memory is short. */
  readonly pressure: Pressure | undefined;
  /** Others wait for their turn. */
  readonly share: MaintenanceShare | undefined;
}

/** Of what the upper tiers of a namespace hold, as much goes in one pass when memory is short: the next pass looks again. */
const RELIEF_SHARE = 0.1;

/** What has to leave the tiers of a namespace, batch after batch. In a dry run nothing is moved between two of them. */
async function* plannedBatches(deps: TierDeps, request: BatchesRequest): AsyncGenerator<PlannedMove[]> {
  const { tiers, clock } = deps;
  const { namespace, dryRun } = request;
  const arriving: TierMember[] = [];
  const relieved: TierMember[] = [];
  // First: what is moved between tiers of the same store takes memory before it gives any back.
  if (request.pressure) {
    for await (const moves of reliefBatches(deps, request, request.pressure)) {
      relieved.push(...moves.map(({ member }) => member));
      yield moves;
    }
  }
  for (const tier of UPPER_TIERS) {
    const nowUs = clock.nowUs();
    const totals = [
      ...(await tiers.totals(namespace)),
      ...arriving.map((member) => totalOf(namespace, member, 1)),
      ...(dryRun ? relieved.map((member) => totalOf(namespace, member, -1)) : []),
    ];
    const without = new Set(relieved.map(({ id }) => id));
    for await (const moves of new MovePlan(tiers, { ...request, tier, totals, arriving, nowUs, without }).batches()) {
      if (dryRun) for (const { member, to } of moves) arriving.push({ ...member, tier: to, tierSinceUs: nowUs });
      yield moves;
    }
  }
}

/** The worst of intermediate memory, and where that is not enough of short-term memory: straight to long-term memory. */
async function* reliefBatches(
  { tiers, clock }: TierDeps,
  request: BatchesRequest,
  { reason, owed }: Pressure,
): AsyncGenerator<PlannedMove[]> {
  const { namespace, share } = request;
  const totals = await tiers.totals(namespace);
  const held = totals.reduce((sum, { tier, count }) => sum + (tier === 'long_term' ? 0 : count), 0);
  let left = owed.get(namespace) ?? Math.ceil(held * RELIEF_SHARE);
  for (const tier of ['intermediate', 'short_term'] as const) {
    if (left <= 0 || share?.isCut) break;
    const relief = { reason, count: left };
    const plan = { ...request, tier, totals, arriving: [], nowUs: clock.nowUs(), relief, without: new Set<string>() };
    for await (const moves of new MovePlan(tiers, plan).batches()) {
      left -= moves.length;
      yield moves;
    }
  }
  owed.set(namespace, share?.isCut ? left : 0);
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
  /** Plans without moving anything. */
  readonly dryRun: boolean;
  /** Moves everything down to long-term memory. */
  readonly flush: boolean;
  /** Long-term memory takes any type. */
  readonly anyType: boolean;
}

/**
 * Moves down what has been in its tier for too long or is over a limit, and some more where memory is short, in small steps,
 * and reports each. Of all namespaces: one that cannot be maintained keeps no other from it, and the first failure
 * is thrown at the end; one that is deleted meanwhile is passed over.
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
