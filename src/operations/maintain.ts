import type { Call } from '../memory/call.ts';
import { MnemeError } from '../memory/errors.ts';
import type { TierMember, TierTotal } from '../storage/tier-store.ts';
import { compactMemories } from './compact-memories.ts';
import { inParts } from './in-parts.ts';
import { namespaceNames } from './namespace-names.ts';
import { NewestSteps } from './newest-steps.ts';
import { MovePlan, type PlannedMove } from './planned-moves.ts';
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

export interface MaintenanceStep {
  readonly namespace: string;
  /** Moves of this step, made or only planned. */
  readonly moves: readonly PlannedMove[];
  /** Memories that cannot be moved because their bytes do not give their checksum. */
  readonly damagedIds: readonly string[];
}

/** Who waits for a part to be moved, such as a recall, does not wait long. */
const PARTS = { size: 50, atOnce: 2 };
const TIERS = ['short_term', 'intermediate'] as const;

/** Moves down what has been in its tier for too long or is over a limit, in small steps, and tells of each. */
export async function* maintain(
  deps: TierDeps,
  request: MaintainRequest,
  call: Pick<Call, 'signal'>,
): AsyncGenerator<MaintenanceStep> {
  let left = request.movesMax ?? Number.POSITIVE_INFINITY;
  const namespaces = request.namespace === undefined ? namespaceNames(deps.store) : [request.namespace];
  for await (const namespace of namespaces) {
    for await (const step of maintainOne(deps, namespace, request)) {
      left -= step.moves.length;
      yield step;
      if (call.signal.aborted)
        throw new MnemeError('CANCELLED', 'the call was cancelled; what it has moved stays moved');
      if (left <= 0) return;
      await turns.wait();
    }
    await turns.wait();
  }
}

async function* maintainOne(
  deps: TierDeps,
  namespace: string,
  request: MaintainRequest,
): AsyncGenerator<MaintenanceStep> {
  const { tiers, clock } = deps;
  const { agent, dryRun, flush, anyType } = request;
  const kept = await policyOf(deps, namespace);
  const policy = anyType ? { ...kept, longTermTypes: [] } : kept;
  const steps = new NewestSteps(deps.store, namespace, policy.importance.decay);
  const arriving: TierMember[] = [];
  // A pass that nobody asked for is noted when it moves something.
  let isNoted = dryRun;
  const note = async (): Promise<void> => {
    if (!isNoted) await tiers.setMaintained({ namespace, atUs: clock.nowUs() });
    isNoted = true;
  };
  if (request.movesMax === undefined) await note();
  for (const tier of TIERS) {
    const nowUs = clock.nowUs();
    const totals = [...(await tiers.totals(namespace)), ...arriving.map((member) => totalOf(namespace, member))];
    const plan = {
      namespace,
      tier,
      policy,
      steps,
      totals,
      arriving,
      nowUs,
      flush,
      ...(agent === undefined ? {} : { agent }),
    };
    for await (const moves of new MovePlan(tiers, plan).batches()) {
      if (dryRun) {
        for (const { member, to } of moves) arriving.push({ ...member, tier: to, tierSinceUs: nowUs });
        yield { namespace, moves, damagedIds: [] };
      } else {
        await note();
        yield await carriedOut(deps, namespace, moves, policy.rules[moves[0]?.to ?? tier].resolution);
      }
    }
  }
}

async function carriedOut(
  { store, tiers, clock }: TierDeps,
  namespace: string,
  planned: readonly PlannedMove[],
  resolution: Parameters<TierDeps['tiers']['move']>[0]['resolution'],
): Promise<MaintenanceStep> {
  const [first] = planned;
  if (!first) return { namespace, moves: [], damagedIds: [] };
  const ids = planned.map(({ member }) => member.id);
  if (resolution.lossy) await compactMemories({ store, clock }, namespace, ids, resolution.lossy);
  const write = { namespace, to: first.to, from: [first.member.tier], resolution, atUs: clock.nowUs() };
  const outcomes = await inParts(ids, PARTS, (some) => tiers.move({ ...write, ids: some }));
  const done = new Set(outcomes.flatMap(({ moved }) => moved.map(({ id }) => id)));
  const damagedIds = outcomes.flatMap((outcome) => outcome.damagedIds);
  return { namespace, moves: planned.filter(({ member }) => done.has(member.id)), damagedIds };
}

function totalOf(namespace: string, { tier, agent, type, contentBytes }: TierMember): TierTotal {
  return { namespace, tier, agent, type, count: 1, contentBytes };
}
