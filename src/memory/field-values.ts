import type { MemoryField, Scalar } from './filter.ts';
import type { Memory, Micros } from './memory.ts';

/** All numbers of fields are within ±2^53. */
type FieldScalar = Exclude<Scalar, bigint>;

/** Values of a field: none when it is not set, several for tags. */
export function fieldValues(memory: Memory, field: MemoryField): readonly FieldScalar[] {
  if (field === 'tag') return memory.tags;
  const value = fieldValue(memory, field);
  return value === undefined ? [] : [value];
}

type SingleField = Exclude<MemoryField, 'tag'>;

const fields: { readonly [F in SingleField]: (memory: Memory) => FieldScalar | undefined } = {
  id: (memory) => memory.id,
  text: (memory) => memory.text,
  type: (memory) => memory.type,
  tier: (memory) => memory.tier,
  project: (memory) => said(memory.scope.project),
  agent_type: (memory) => said(memory.scope.agentType),
  agent: (memory) => said(memory.scope.agent),
  session: (memory) => said(memory.scope.session),
  speaker: (memory) => said(memory.source.speaker),
  source_uri: (memory) => said(memory.source.uri),
  source_origin: (memory) => said(memory.source.origin),
  location: (memory) => said(memory.place?.location),
  room: (memory) => said(memory.place?.room),
  region: (memory) => said(memory.place?.region),
  media_type: (memory) => said(memory.content?.mediaType),
  superseded_by: (memory) => said(memory.supersededBy),
  step: (memory) => memory.step,
  importance: (memory) => memory.importance,
  priority: (memory) => memory.priority,
  retrieval_count: (memory) => memory.retrievalCount,
  revision: (memory) => memory.revision,
  event_time: (memory) => time(memory.eventAtUs),
  create_time: (memory) => time(memory.createdAtUs),
  update_time: (memory) => time(memory.updatedAtUs),
  last_access_time: (memory) => time(memory.lastAccessedAtUs),
  expire_time: (memory) => time(memory.expiresAtUs),
  valid_from: (memory) => time(memory.validFromUs),
  valid_until: (memory) => time(memory.validUntilUs),
};

function fieldValue(memory: Memory, field: SingleField): FieldScalar | undefined {
  return fields[field](memory);
}

function said(text: string | undefined): string | undefined {
  return text === '' ? undefined : text;
}

function time(timeUs: Micros | undefined): FieldScalar | undefined {
  return timeUs === undefined ? undefined : { timeUs };
}
