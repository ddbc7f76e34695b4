import type { Timestamp } from '../../../gen/ts/google/protobuf/timestamp.ts';
import type { Content, Memory } from '../../../gen/ts/mneme/v1/memory.ts';
import { idOf } from '../../api/names.ts';
import { isoOf } from '../../api/times.ts';

/** A memory as a line of `mneme export`; `docs/cli.md` has the keys. Keys without a value are omitted. */
export function exportLine(memory: Memory): string {
  const { scope, source, place, embedding, compaction, content } = memory;
  const time = (at: Timestamp | undefined) => at && isoOf(at);
  return JSON.stringify({
    id: idOf(memory.name),
    type: memory.type,
    text: optional(memory.text),
    scope: scope && {
      project: optional(scope.project),
      agentType: optional(scope.agentType),
      agent: optional(scope.agent),
      session: optional(scope.session),
    },
    step: memory.step === undefined ? undefined : Number(memory.step),
    eventTime: time(memory.eventTime),
    createTime: time(memory.createTime),
    updateTime: time(memory.updateTime),
    content: content && contentOf(content),
    tags: memory.tags,
    embedding: embedding && {
      model: embedding.model,
      dimension: embedding.dimension,
      data: base64Of(embedding.dataF32le),
    },
    place: place && {
      point: place.point,
      geo: place.geo && { latitudeDeg: place.geo.latitudeDeg, longitudeDeg: place.geo.longitudeDeg },
      location: optional(place.location),
      room: optional(place.room),
      region: optional(place.region),
    },
    importance: memory.importance,
    priority: memory.priority,
    source: source && {
      speaker: optional(source.speaker),
      uri: optional(source.uri),
      origin: optional(source.origin),
    },
    retrievalCount: memory.retrievalCount,
    lastAccessTime: time(memory.lastAccessTime),
    expireTime: time(memory.expireTime),
    validFrom: time(memory.validFrom),
    validUntil: time(memory.validUntil),
    supersededBy: optional(idOf(memory.supersededBy)),
    compaction,
  });
}

function optional(text: string): string | undefined {
  return text === '' ? undefined : text;
}

function contentOf({ mediaType, body }: Content): object {
  if (body?.$case === 'data') return { mediaType, data: base64Of(body.value) };
  return { mediaType, text: body?.value ?? '' };
}

const CHUNK = 8192;

function base64Of(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += CHUNK) text += String.fromCharCode(...bytes.subarray(at, at + CHUNK));
  return btoa(text);
}
