import {
  type Memory as MemoryMessage,
  Tier as TierNumber,
  MemoryView as ViewNumber,
} from '../../../gen/ts/mneme/v1/memory.ts';
import type { Memory, MemoryView, Tier } from '../../memory/memory.ts';
import { memoryName } from '../edge/resource-names.ts';
import { optionalTimestamp, timestampOf } from '../edge/time-messages.ts';
import { compactionMessage } from './compaction-messages.ts';
import { contentMessage } from './content-messages.ts';
import { embeddingMessage } from './embedding-messages.ts';
import { placeMessage } from './place-messages.ts';

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
