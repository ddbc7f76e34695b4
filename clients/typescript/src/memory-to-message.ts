import {
  type Compaction as CompactionMessage,
  type Embedding as EmbeddingMessage,
  type Memory as MemoryMessage,
  type Place as PlaceMessage,
  type Scope as ScopeMessage,
  type Source as SourceMessage,
  Tier,
} from '../../../gen/ts/mneme/v1/memory.ts';
import { integerOf } from './bad-input.ts';
import { contentMessage } from './content-messages.ts';
import type { Compaction, Embedding, ImportedMemory, MemoryChanges, Place, Scope, Source } from './memory.ts';
import { memoryName } from './names.ts';
import { timestampOf } from './precise-date.ts';
import { bytesOfVector } from './vectors.ts';

export function messageOfMemory(memory: ImportedMemory, namespace: string): MemoryMessage {
  return {
    name: memory.id === undefined ? '' : memoryName(namespace, memory.id),
    scope: scopeMessage(memory.scope),
    type: memory.type ?? '',
    step: integerOf(memory.step, 'memory.step'),
    eventTime: timestampOf(memory.eventTime),
    createTime: timestampOf(memory.createTime),
    updateTime: timestampOf(memory.updateTime),
    text: memory.text ?? '',
    content: memory.content === undefined || memory.content === null ? undefined : contentMessage(memory.content),
    tags: [...(memory.tags ?? [])],
    embedding: memory.embedding && embeddingMessage(memory.embedding),
    place: memory.place && placeMessage(memory.place),
    importance: memory.importance,
    priority: memory.priority,
    source: memory.source && sourceMessage(memory.source),
    tier: Tier.TIER_UNSPECIFIED,
    retrievalCount: memory.retrievalCount ?? 0,
    lastAccessTime: timestampOf(memory.lastAccessTime),
    expireTime: timestampOf(memory.expireTime),
    validFrom: timestampOf(memory.validFrom),
    validUntil: timestampOf(memory.validUntil),
    supersededBy: memory.supersededBy ? memoryName(namespace, memory.supersededBy) : '',
    checksum: '',
    version: 0n,
    compaction: memory.compaction && compactionMessage(memory.compaction),
  };
}

/** Changes as the message and the field mask of an update. */
export function messageOfChanges(
  changes: MemoryChanges,
  namespace: string,
): { memory: MemoryMessage; updateMask: string[] } {
  const { scope, ...rest } = changes;
  const updateMask = Object.entries(rest).flatMap(([field, value]) => (value === undefined ? [] : [snakeCase(field)]));
  for (const [part, value] of Object.entries(scope ?? {})) {
    if (value !== undefined) updateMask.push(`scope.${snakeCase(part)}`);
  }
  if (scope === null) updateMask.push('scope.project', 'scope.agent_type', 'scope.agent', 'scope.session');
  const provided = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== null));
  return { memory: messageOfMemory(provided, namespace), updateMask };
}

export function scopeMessage(scope: Scope | undefined): ScopeMessage | undefined {
  return (
    scope && {
      namespace: '',
      project: scope.project ?? '',
      agentType: scope.agentType ?? '',
      agent: scope.agent ?? '',
      session: scope.session ?? '',
    }
  );
}

export function embeddingMessage(embedding: Embedding): EmbeddingMessage {
  return {
    dataF32le: bytesOfVector(embedding.values),
    dimension: embedding.values.length,
    model: embedding.model,
  };
}

function compactionMessage({ droppedKeys, decimals, ...rest }: Compaction): CompactionMessage {
  return { ...rest, droppedKeys: [...droppedKeys], decimals };
}

function placeMessage(place: Place): PlaceMessage {
  return {
    point: place.point && { x: place.point.x, y: place.point.y, z: place.point.z },
    geo: place.geo,
    location: place.location ?? '',
    room: place.room ?? '',
    region: place.region ?? '',
  };
}

function sourceMessage(source: Source): SourceMessage {
  return { speaker: source.speaker ?? '', uri: source.uri ?? '', origin: source.origin ?? '' };
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
