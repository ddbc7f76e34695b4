import { ChangeKind } from '../../../../gen/ts/mneme/v1/change.ts';
import {
  type Compaction as CompactionMessage,
  type Memory as MemoryMessage,
  Tier as TierNumber,
  MemoryView as ViewNumber,
} from '../../../../gen/ts/mneme/v1/memory.ts';
import type {
  BatchStoreMemoriesResponse,
  ForgetMemoriesResponse,
  StoreMemoryResponse,
  SupersedeMemoryResponse,
  TierCount,
  WriteReceipt,
} from '../../../../gen/ts/mneme/v1/memory_service.ts';
import { MEMORY_LIMITS } from '../../../memory/limits.ts';
import type { Memory, MemoryView, Tier } from '../../../memory/memory.ts';
import type { CompactionRecord } from '../../../memory/resolution/resolution.ts';
import type { DeleteOutcome, PastState, Receipt, WriteOutcome } from '../../../storage/records.ts';
import { memoryName, optionalTimestamp, timestampOf } from '../edge/request-checks.ts';
import { contentMessage, embeddingMessage, type MemoryInput, placeMessage } from './memory-fields.ts';

/** A stored memory as callers see it. */
export function memoryMessage(memory: Memory): MemoryMessage {
  const { namespace, scope, content, embedding, place, step, supersededBy } = memory;
  return {
    name: memoryName(namespace, memory.id),
    scope: {
      namespace,
      project: scope.project,
      agentType: scope.agentType,
      agent: scope.agent,
      session: scope.session,
    },
    type: memory.type,
    step: step === undefined ? undefined : BigInt(step),
    eventTime: timestampOf(memory.eventAtUs),
    createTime: timestampOf(memory.createdAtUs),
    updateTime: timestampOf(memory.updatedAtUs),
    text: memory.text,
    content: content && contentMessage(content),
    tags: memory.tags as string[],
    embedding: embedding && embeddingMessage(embedding),
    place: place && placeMessage(place),
    importance: memory.importance,
    priority: memory.priority,
    source: memory.source,
    tier: TIER_NUMBERS[memory.tier],
    retrievalCount: memory.retrievalCount,
    lastAccessTime: optionalTimestamp(memory.lastAccessedAtUs),
    expireTime: optionalTimestamp(memory.expiresAtUs),
    validFrom: optionalTimestamp(memory.validFromUs),
    validUntil: optionalTimestamp(memory.validUntilUs),
    supersededBy: supersededBy === undefined ? '' : memoryName(namespace, supersededBy),
    checksum: memory.checksum,
    version: BigInt(memory.revision),
    compaction: memory.compaction && compactionMessage(memory.compaction),
  };
}

export const TIER_NUMBERS: Readonly<Record<Tier, TierNumber>> = {
  short_term: TierNumber.TIER_SHORT_TERM,
  intermediate: TierNumber.TIER_INTERMEDIATE,
  long_term: TierNumber.TIER_LONG_TERM,
};

export const VIEWS: Readonly<Record<number, MemoryView>> = {
  [ViewNumber.MEMORY_VIEW_UNSPECIFIED]: 'basic',
  [ViewNumber.MEMORY_VIEW_BASIC]: 'basic',
  [ViewNumber.MEMORY_VIEW_FULL]: 'full',
  [ViewNumber.MEMORY_VIEW_METADATA]: 'metadata',
};

const CHECKSUM = /^[0-9a-f]{64}$/;
const KEYS_MAX = 1000;
const KEY_BYTES = 512;
const DECIMALS_MAX = 12;

function compactionMessage(record: CompactionRecord): CompactionMessage {
  const { checksum, contentBytes, droppedKeys, decimals } = record;
  return { checksum, contentBytes, droppedKeys: [...droppedKeys], decimals };
}

/** Data that an imported memory had lost permanently. */
export function compactionOf({ checks, field, memory }: MemoryInput): CompactionRecord | undefined {
  const { compaction } = memory;
  if (!compaction) return undefined;
  const at = `${field}.compaction`;
  const { contentBytes, droppedKeys, decimals } = compaction;
  if (droppedKeys.length > KEYS_MAX) {
    checks.add(`${at}.dropped_keys`, `must be at most ${KEYS_MAX} keys, got ${droppedKeys.length}`);
  }
  if (!memory.content) checks.add(at, 'must be absent from a memory without content');
  return {
    checksum: checks.matching(`${at}.checksum`, compaction.checksum, CHECKSUM, '64 of [0-9a-f]'),
    contentBytes: checks.within(`${at}.content_bytes`, contentBytes, 0, MEMORY_LIMITS.contentBytes),
    droppedKeys: droppedKeys
      .slice(0, KEYS_MAX)
      .map((key, index) => checks.text(`${at}.dropped_keys[${index}]`, key, KEY_BYTES, { plain: true })),
    ...(decimals === undefined ? {} : { decimals: checks.within(`${at}.decimals`, decimals, 0, DECIMALS_MAX) }),
  };
}

/** Answer to the write of one memory. */
export function receiptOf(namespace: string, { memories, revision }: WriteOutcome): StoreMemoryResponse {
  const [receipt] = memories;
  return {
    memory: receipt && receiptMessage(namespace, receipt),
    revision: BigInt(revision),
  };
}

export function receiptsOf(namespace: string, { memories, revision }: WriteOutcome): BatchStoreMemoriesResponse {
  return {
    memories: memories.map((receipt) => receiptMessage(namespace, receipt)),
    revision: BigInt(revision),
  };
}

/** Answer to a write that supersedes a memory. */
export function supersedeResponse(namespace: string, { memories, revision }: WriteOutcome): SupersedeMemoryResponse {
  const [memory, superseded] = memories.map((receipt) => receiptMessage(namespace, receipt));
  return { memory, superseded, revision: BigInt(revision) };
}

export function tierCounts(tiers: readonly (readonly [Tier, number])[]): TierCount[] {
  return tiers.map(([tier, count]) => ({ tier: TIER_NUMBERS[tier], count }));
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
