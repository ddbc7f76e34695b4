import type {
  ClearTierRequest as ClearTierMessage,
  ClearTierResponse,
} from '../../../../gen/ts/mneme/v1/admin_service.ts';
import { Tier as TierNumber } from '../../../../gen/ts/mneme/v1/memory.ts';
import {
  MoveReason as ReasonNumber,
  type TierMove as TierMoveMessage,
} from '../../../../gen/ts/mneme/v1/memory_service.ts';
import type { Tier } from '../../../memory/memory.ts';
import { isUnscoped } from '../../../memory/scope.ts';
import type { SettingChange } from '../../../memory/tier-settings.ts';
import type { DeleteOutcome } from '../../../storage/records.ts';
import type { MoveOutcome } from '../../../storage/tiers.ts';
import type { ClearTierRequest } from '../../operations/tiers/clear-tier.ts';
import type { MoveRequest } from '../../operations/tiers/move-memories.ts';
import type { MoveReason, PlannedMove } from '../../operations/tiers/planned-moves.ts';
import { memoryName, memoryNameIn, RequestChecks } from '../edge/request-checks.ts';
import { scopeOf } from '../memories/memory-fields.ts';
import { TIER_NUMBERS } from '../memories/memory-messages.ts';

const NAMES_MAX = 1000;

const REASONS: Readonly<Record<MoveReason, ReasonNumber>> = {
  ttl: ReasonNumber.MOVE_REASON_TTL,
  memory_limit: ReasonNumber.MOVE_REASON_MEMORY_LIMIT,
  bytes_limit: ReasonNumber.MOVE_REASON_BYTES_LIMIT,
  type_ttl: ReasonNumber.MOVE_REASON_TYPE_TTL,
  type_memory_limit: ReasonNumber.MOVE_REASON_TYPE_MEMORY_LIMIT,
  flush: ReasonNumber.MOVE_REASON_FLUSH,
  redis_memory: ReasonNumber.MOVE_REASON_REDIS_MEMORY,
  process_memory: ReasonNumber.MOVE_REASON_PROCESS_MEMORY,
};

const LOWER: Readonly<Record<number, Tier>> = {
  [TierNumber.TIER_INTERMEDIATE]: 'intermediate',
  [TierNumber.TIER_LONG_TERM]: 'long_term',
};
const HIGHER: Readonly<Record<number, Tier>> = {
  [TierNumber.TIER_SHORT_TERM]: 'short_term',
  [TierNumber.TIER_INTERMEDIATE]: 'intermediate',
};
const TIERS: Readonly<Record<number, Tier>> = { ...LOWER, ...HIGHER };

/** Of Demote and Promote. */
export function moveRequestOf(
  {
    parent,
    names,
    toTier: to,
  }: { readonly parent: string; readonly names: readonly string[]; readonly toTier: TierNumber },
  direction: MoveRequest['direction'],
): MoveRequest {
  const checks = new RequestChecks();
  const namespace = checks.namespace('parent', parent);
  if (names.length < 1 || names.length > NAMES_MAX) {
    checks.add('names', `must be 1 to ${NAMES_MAX} names, got ${names.length}`);
  }
  const ids = names.slice(0, NAMES_MAX).map((name, at) => {
    const parts = memoryNameIn(name);
    if (parts?.namespace !== namespace) checks.add(`names[${at}]`, `must be a memory of namespaces/${namespace}`);
    return parts?.id ?? '';
  });
  const table = direction === 'down' ? LOWER : HIGHER;
  if (to !== TierNumber.TIER_UNSPECIFIED && !table[to]) {
    const choice = direction === 'down' ? 'TIER_INTERMEDIATE, TIER_LONG_TERM' : 'TIER_SHORT_TERM, TIER_INTERMEDIATE';
    checks.add('to_tier', `must be one of ${choice}, or not be set, got ${tierName(to)}`);
  }
  checks.finish();
  const target = table[to];
  return { namespace, ids: [...new Set(ids)], direction, ...(target ? { to: target } : {}) };
}

function tierName(number: TierNumber): string {
  const [name = String(number)] = Object.entries(TierNumber).find(([, known]) => known === number) ?? [];
  return name;
}

export function moveResponse(namespace: string, { moved, damagedIds, revision }: MoveOutcome) {
  return {
    moves: moved.map(({ id, from, to }) => ({
      name: memoryName(namespace, id),
      fromTier: TIER_NUMBERS[from],
      toTier: TIER_NUMBERS[to],
      reason: ReasonNumber.MOVE_REASON_REQUESTED,
      score: 0,
    })),
    damaged: damagedIds.map((id) => memoryName(namespace, id)),
    revision: BigInt(revision),
  };
}

export function plannedMoveMessage(namespace: string, { member, to, reason, score }: PlannedMove): TierMoveMessage {
  return {
    name: memoryName(namespace, member.id),
    fromTier: TIER_NUMBERS[member.tier],
    toTier: TIER_NUMBERS[to],
    reason: REASONS[reason],
    score,
  };
}

/** Tiers that a request narrows to, each once; `undefined` for all. */
export function tiersOf(checks: RequestChecks, field: string, numbers: readonly TierNumber[]): Tier[] | undefined {
  if (numbers.length === 0) return undefined;
  return [...new Set(numbers.map((number, at) => checks.choice(`${field}[${at}]`, number, TIERS)))];
}

/** Changes of settings; an empty value removes one. */
export function settingChangesOf(settings: { readonly [key: string]: string }): SettingChange[] {
  return Object.entries(settings).map(([key, value]) => [key, value === '' ? null : value] as const);
}

/** Deleting everything must be explicit: an empty scope does not mean all. */
export function clearTierRequestOf({ parent, tier, scope: provided, all, dryRun }: ClearTierMessage): ClearTierRequest {
  const checks = new RequestChecks();
  const namespace = checks.namespace('parent', parent);
  const scope = provided && scopeOf(checks, 'scope', provided);
  if (all && scope) checks.add('scope', 'must be absent when all is set');
  if (!all && !scope) checks.add('scope', 'is required, or all');
  if (scope && isUnscoped(scope)) {
    checks.add('scope', 'must have at least one of project, agent_type, agent and session; all clears the whole tier');
  }
  const request = { namespace, tier: checks.choice('tier', tier, TIERS), dryRun, scope };
  checks.finish();
  return request;
}

export function clearTierResponse(
  namespace: string,
  { deletedIds, tiers, revision }: DeleteOutcome,
): ClearTierResponse {
  return {
    clearedCount: tiers.reduce((sum, [, count]) => sum + count, 0),
    names: deletedIds.map((id) => memoryName(namespace, id)),
    revision: BigInt(revision),
  };
}
