import type { Memory } from '../../memory/memory.ts';
import { tierNumber } from './rows.ts';
import type { MemoryBodyTable, MemoryTable } from './schema.ts';

/** Columns of `memory` that a caller's fields decide. */
export type FieldColumns = Omit<
  MemoryTable,
  | 'pk'
  | 'namespace_key'
  | 'values_partial'
  | 'reward'
  | 'surprise'
  | 'embedding_state'
  | 'revision'
  | 'tier_since_us'
  | 'stored_bytes'
>;
export type BodyColumns = Omit<MemoryBodyTable, 'pk'>;

export function fieldColumns(memory: Omit<Memory, 'namespace' | 'revision'>): FieldColumns {
  const { scope, place } = memory;
  return {
    id: memory.id,
    type: memory.type,
    project: scope.project,
    agent_type: scope.agentType,
    agent: scope.agent,
    session: scope.session,
    step: memory.step ?? null,
    event_at_us: memory.eventAtUs,
    created_at_us: memory.createdAtUs,
    updated_at_us: memory.updatedAtUs,
    last_accessed_at_us: memory.lastAccessedAtUs ?? null,
    expires_at_us: memory.expiresAtUs ?? null,
    valid_from_us: memory.validFromUs ?? null,
    valid_until_us: memory.validUntilUs ?? null,
    importance: memory.importance,
    priority: memory.priority,
    retrieval_count: memory.retrievalCount,
    tier: tierNumber(memory.tier),
    speaker: memory.source.speaker,
    x: place?.point?.x ?? null,
    y: place?.point?.y ?? null,
    z: place?.point?.z ?? null,
    latitude: place?.geo?.latitudeDeg ?? null,
    longitude: place?.geo?.longitudeDeg ?? null,
    location: place?.location ?? '',
    room: place?.room ?? '',
    region: place?.region ?? '',
    superseded_by: memory.supersededBy ?? '',
    content_bytes: Buffer.byteLength(memory.text) + (memory.content?.data.byteLength ?? 0),
  };
}

export function bodyColumns(memory: Omit<Memory, 'namespace' | 'revision'>): BodyColumns {
  return {
    text: memory.text,
    text_derived: memory.textDerived ? 1 : 0,
    media_type: memory.content?.mediaType ?? '',
    content: memory.content?.data ?? null,
    tags: JSON.stringify(memory.tags),
    source_uri: memory.source.uri,
    source_origin: memory.source.origin,
    checksum: memory.checksum,
    packed: null,
    compaction: memory.compaction ? JSON.stringify(memory.compaction) : '',
  };
}
