import type {
  Compaction as CompactionMessage,
  Memory as MemoryMessage,
  Place as PlaceMessage,
  Scope as ScopeMessage,
} from '../../../gen/ts/mneme/v1/memory.ts';
import { incompleteAnswer } from './bad-input.ts';
import { contentOfMessage } from './content-messages.ts';
import { tierOf } from './enums.ts';
import type { Compaction, Memory, Place, Scope, Source } from './memory.ts';
import { partsOfName } from './names.ts';
import { dateOf, PreciseDate } from './precise-date.ts';
import { vectorOfBytes } from './vectors.ts';

export function memoryOfMessage(message: MemoryMessage | undefined): Memory {
  if (message === undefined) throw incompleteAnswer('memory');
  const { content, embedding, place, step } = message;
  const required = (time: MemoryMessage['createTime']) => (time === undefined ? new PreciseDate(0) : dateOf(time));
  return {
    name: message.name,
    ...partsOfName(message.name),
    scope: scopeOfMessage(message.scope),
    type: message.type,
    ...(step !== undefined && { step: Number(step) }),
    eventTime: required(message.eventTime),
    createTime: required(message.createTime),
    updateTime: required(message.updateTime),
    text: message.text,
    ...(content && { content: contentOfMessage(content) }),
    tags: message.tags,
    ...(embedding && { embedding: { model: embedding.model, values: vectorOfBytes(embedding.dataF32le) } }),
    ...(place && { place: placeOfMessage(place) }),
    importance: message.importance ?? 0.5,
    priority: message.priority ?? 1,
    source: sourceOfMessage(message.source),
    tier: tierOf(message.tier),
    retrievalCount: message.retrievalCount,
    ...(message.lastAccessTime && { lastAccessTime: dateOf(message.lastAccessTime) }),
    ...(message.expireTime && { expireTime: dateOf(message.expireTime) }),
    ...(message.validFrom && { validFrom: dateOf(message.validFrom) }),
    ...(message.validUntil && { validUntil: dateOf(message.validUntil) }),
    ...(message.supersededBy && { supersededBy: partsOfName(message.supersededBy).id }),
    checksum: message.checksum,
    version: Number(message.version),
    ...(message.compaction && { compaction: compactionOfMessage(message.compaction) }),
  };
}

function compactionOfMessage({ decimals, ...compaction }: CompactionMessage): Compaction {
  return { ...compaction, ...(decimals !== undefined && { decimals }) };
}

export function scopeOfMessage(message: ScopeMessage | undefined): Scope {
  if (message === undefined) return {};
  const { project, agentType, agent, session } = message;
  return {
    ...(project && { project }),
    ...(agentType && { agentType }),
    ...(agent && { agent }),
    ...(session && { session }),
  };
}

function sourceOfMessage(message: MemoryMessage['source']): Source {
  if (message === undefined) return {};
  const { speaker, uri, origin } = message;
  return { ...(speaker && { speaker }), ...(uri && { uri }), ...(origin && { origin }) };
}

function placeOfMessage({ point, geo, location, room, region }: PlaceMessage): Place {
  return {
    ...(point && { point: { x: point.x, y: point.y, ...(point.z !== undefined && { z: point.z }) } }),
    ...(geo && { geo }),
    ...(location && { location }),
    ...(room && { room }),
    ...(region && { region }),
  };
}
