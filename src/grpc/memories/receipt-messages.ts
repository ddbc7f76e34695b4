import { ChangeKind } from '../../../gen/ts/mneme/v1/change.ts';
import type {
  BatchStoreMemoriesResponse,
  ForgetMemoriesResponse,
  StoreMemoryResponse,
  SupersedeMemoryResponse,
  TierCount,
  WriteDegradation,
  WriteReceipt,
} from '../../../gen/ts/mneme/v1/memory_service.ts';
import type { Tier } from '../../memory/memory.ts';
import type { DeleteOutcome, PastState, Receipt, WriteOutcome } from '../../storage/memory-store.ts';
import type { Detour } from '../../storage/tier-store.ts';
import { memoryName } from '../edge/resource-names.ts';
import { timestampOf } from '../edge/time-messages.ts';
import { TIER_NUMBERS } from './memory-messages.ts';

/** Answer to the write of one memory. */
export function receiptOf(namespace: string, { memories, revision, detour }: WriteOutcome): StoreMemoryResponse {
  const [receipt] = memories;
  return {
    memory: receipt && receiptMessage(namespace, receipt),
    revision: BigInt(revision),
    degraded: degradedMessages(detour),
  };
}

export function receiptsOf(
  namespace: string,
  { memories, revision, detour }: WriteOutcome,
): BatchStoreMemoriesResponse {
  return {
    memories: memories.map((receipt) => receiptMessage(namespace, receipt)),
    revision: BigInt(revision),
    degraded: degradedMessages(detour),
  };
}

/** Answer to the write of a memory and of the one that it takes the place of. */
export function supersedeResponse(namespace: string, { memories, revision }: WriteOutcome): SupersedeMemoryResponse {
  const [memory, superseded] = memories.map((receipt) => receiptMessage(namespace, receipt));
  return { memory, superseded, revision: BigInt(revision) };
}

export function tierCounts(tiers: readonly (readonly [Tier, number])[]): TierCount[] {
  return tiers.map(([tier, count]) => ({ tier: TIER_NUMBERS[tier], count }));
}

export function degradedMessages(detour: Detour | undefined): WriteDegradation[] {
  if (!detour) return [];
  const { around: part, reason, storedIn } = detour;
  return [{ part, reason, storedIn: TIER_NUMBERS[storedIn] }];
}

export function receiptMessage(namespace: string, receipt: Receipt): WriteReceipt {
  return {
    name: memoryName(namespace, receipt.id),
    version: BigInt(receipt.revision),
    createTime: timestampOf(receipt.createdAtUs),
    checksum: receipt.checksum,
    embeddingPending: receipt.embeddingPending,
  };
}

export function forgetResponse(
  namespace: string,
  { deletedIds, tiers, revision }: DeleteOutcome,
): ForgetMemoriesResponse {
  return {
    forgottenCount: tiers.reduce((sum, [, count]) => sum + count, 0),
    tiers: tierCounts(tiers),
    names: deletedIds.map((id) => memoryName(namespace, id)),
    revision: BigInt(revision),
  };
}

export const changeKind: Readonly<Record<PastState['change'], ChangeKind>> = {
  stored: ChangeKind.CHANGE_KIND_STORED,
  updated: ChangeKind.CHANGE_KIND_UPDATED,
};
