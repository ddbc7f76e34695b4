import { ChangeKind as ChangeCode } from '../../../gen/ts/mneme/v1/change.ts';
import { Tier as TierCode, MemoryView as ViewCode } from '../../../gen/ts/mneme/v1/memory.ts';
import {
  ConflictPolicy as ConflictPolicyCode,
  MemoryOrder as OrderCode,
} from '../../../gen/ts/mneme/v1/memory_service.ts';
import { RecallLane as LaneCode } from '../../../gen/ts/mneme/v1/recall_service.ts';
import { badInput } from './bad-input.ts';
import type { MemoryView, Tier } from './memory.ts';

/** Order of a list. Memories of the same value are ordered by when they were stored. */
export type MemoryOrder =
  | 'create_time_desc'
  | 'create_time_asc'
  | 'event_time_desc'
  | 'event_time_asc'
  | 'importance_desc'
  | 'step_asc'
  | 'step_desc';

/** Change of a memory, or of its namespace. `other` is a kind that this version of the client does not know. */
export type ChangeKind =
  | 'stored'
  | 'updated'
  | 'deleted'
  | 'expired'
  | 'embedded'
  | 'touched'
  | 'moved'
  | 'namespace_created'
  | 'namespace_updated'
  | 'namespace_deleted'
  | 'vectors_replaced'
  | 'other';

/** A way of finding candidates. */
export type RecallLane = 'keyword' | 'vector' | 'time' | 'place' | 'filter' | 'other';

/** Handling of a memory that already exists, in an import. */
export type ConflictPolicy = 'keep' | 'replace' | 'fail';

const VIEW_CODES: Readonly<Record<MemoryView, ViewCode>> = {
  basic: ViewCode.MEMORY_VIEW_BASIC,
  full: ViewCode.MEMORY_VIEW_FULL,
  metadata: ViewCode.MEMORY_VIEW_METADATA,
};

export const ORDER_CODES: Readonly<Record<MemoryOrder, OrderCode>> = {
  create_time_desc: OrderCode.MEMORY_ORDER_CREATE_TIME_DESC,
  create_time_asc: OrderCode.MEMORY_ORDER_CREATE_TIME_ASC,
  event_time_desc: OrderCode.MEMORY_ORDER_EVENT_TIME_DESC,
  event_time_asc: OrderCode.MEMORY_ORDER_EVENT_TIME_ASC,
  importance_desc: OrderCode.MEMORY_ORDER_IMPORTANCE_DESC,
  step_asc: OrderCode.MEMORY_ORDER_STEP_ASC,
  step_desc: OrderCode.MEMORY_ORDER_STEP_DESC,
};

export const CONFLICT_CODES: Readonly<Record<ConflictPolicy, ConflictPolicyCode>> = {
  keep: ConflictPolicyCode.CONFLICT_POLICY_KEEP,
  replace: ConflictPolicyCode.CONFLICT_POLICY_REPLACE,
  fail: ConflictPolicyCode.CONFLICT_POLICY_FAIL,
};

const TIERS: Readonly<Record<number, Tier>> = {
  [TierCode.TIER_SHORT_TERM]: 'short_term',
  [TierCode.TIER_INTERMEDIATE]: 'intermediate',
  [TierCode.TIER_LONG_TERM]: 'long_term',
};

const TIER_CODES: Readonly<Record<Tier, TierCode>> = {
  short_term: TierCode.TIER_SHORT_TERM,
  intermediate: TierCode.TIER_INTERMEDIATE,
  long_term: TierCode.TIER_LONG_TERM,
};

const CHANGES: Readonly<Record<number, ChangeKind>> = {
  [ChangeCode.CHANGE_KIND_STORED]: 'stored',
  [ChangeCode.CHANGE_KIND_UPDATED]: 'updated',
  [ChangeCode.CHANGE_KIND_DELETED]: 'deleted',
  [ChangeCode.CHANGE_KIND_EXPIRED]: 'expired',
  [ChangeCode.CHANGE_KIND_EMBEDDED]: 'embedded',
  [ChangeCode.CHANGE_KIND_TOUCHED]: 'touched',
  [ChangeCode.CHANGE_KIND_MOVED]: 'moved',
  [ChangeCode.CHANGE_KIND_NAMESPACE_CREATED]: 'namespace_created',
  [ChangeCode.CHANGE_KIND_NAMESPACE_UPDATED]: 'namespace_updated',
  [ChangeCode.CHANGE_KIND_NAMESPACE_DELETED]: 'namespace_deleted',
  [ChangeCode.CHANGE_KIND_VECTORS_REPLACED]: 'vectors_replaced',
};

const LANES: Readonly<Record<number, RecallLane>> = {
  [LaneCode.RECALL_LANE_KEYWORD]: 'keyword',
  [LaneCode.RECALL_LANE_VECTOR]: 'vector',
  [LaneCode.RECALL_LANE_TIME]: 'time',
  [LaneCode.RECALL_LANE_PLACE]: 'place',
  [LaneCode.RECALL_LANE_FILTER]: 'filter',
};

export function viewCode(view: MemoryView = 'basic'): ViewCode {
  return VIEW_CODES[view];
}

/** The metadata view may omit the tier: the memory is then in the initial tier. */
export function tierOf(code: TierCode): Tier {
  return TIERS[code] ?? 'short_term';
}

/** The code of a tier; `undefined` for none. Callers without types may name an unknown one. */
export function tierCode(tier: Tier | undefined): TierCode {
  if (tier === undefined) return TierCode.TIER_UNSPECIFIED;
  if (!Object.hasOwn(TIER_CODES, tier)) {
    throw badInput('tier', `must be one of ${Object.keys(TIER_CODES).join(', ')}, got ${JSON.stringify(tier)}`);
  }
  return TIER_CODES[tier];
}

export function changeOf(code: ChangeCode): ChangeKind {
  return CHANGES[code] ?? 'other';
}

export function laneOf(code: LaneCode): RecallLane {
  return LANES[code] ?? 'other';
}
