import type { TierPolicy } from '../../memory/tier-policy.ts';
import { UPPER_TIERS } from '../../memory/tiers.ts';
import type { TierMember, TierTotal } from '../../storage/tier-store.ts';
import type { MaintenanceShare } from './maintenance-share.ts';
import type { NewestSteps } from './newest-steps.ts';
import { MovePlan, type PlannedMove } from './planned-moves.ts';
import type { Pressure } from './relief-pass.ts';
import type { TierDeps } from './tier-policy-of.ts';

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
export async function* plannedBatches(deps: TierDeps, request: BatchesRequest): AsyncGenerator<PlannedMove[]> {
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
