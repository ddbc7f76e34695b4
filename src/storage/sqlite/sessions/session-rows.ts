import { idleAtUs, type SessionRecord, type SessionState } from '../../../memory/session.ts';
import { prepared, queries } from '../database.ts';
import type { SessionTable } from './session-schema.ts';

export type SessionRow = Omit<SessionTable, 'key'> & { readonly key: number };
type Columns = Omit<SessionTable, 'key'>;

const NAMES = [
  'namespace',
  'id',
  'project',
  'agent_type',
  'agent',
  'state',
  'is_frozen',
  'is_spawned',
  'generation',
  'metadata',
  'lifecycle',
  'created_at_us',
  'updated_at_us',
  'expires_at_us',
  'revision',
  'compacted_revision',
  'default_ttl_us',
  'idle_ttl_us',
  'idle_at_us',
  'key_count',
  'value_bytes',
  'task',
  'note_count',
  'note_bytes',
  'next_note',
  'notes_dropped',
  'checkpoint_count',
  'checkpoint_bytes',
  'head_checkpoint',
] as const satisfies readonly (keyof Columns)[];

const columnsOf = (p: Columns) => Object.fromEntries(NAMES.map((name) => [name, p[name]])) as unknown as Columns;

export const sessionByName = prepared((p: { namespace: string; id: string }) =>
  queries.selectFrom('session').selectAll().where('namespace', '=', p.namespace).where('id', '=', p.id),
);
export const sessionByKey = prepared((p: { key: number }) =>
  queries.selectFrom('session').selectAll().where('key', '=', p.key),
);
export const insertSession = prepared((p: Columns) =>
  queries.insertInto('session').values(columnsOf(p)).returning('key'),
);
export const updateSession = prepared((p: Columns & { key: number }) =>
  queries.updateTable('session').set(columnsOf(p)).where('key', '=', p.key),
);
export const sessionsAfter = prepared((p: { namespace: string; id: string; limit: number }) =>
  queries
    .selectFrom('session')
    .selectAll()
    .where('namespace', '=', p.namespace)
    .where('id', '>', p.id)
    .orderBy('id')
    .limit(p.limit),
);
export const idleSessions = prepared((p: { now_us: number; limit: number }) =>
  queries
    .selectFrom('session')
    .select(['namespace', 'id'])
    .where('idle_at_us', '<=', p.now_us)
    .orderBy('idle_at_us')
    .limit(p.limit),
);

export function recordOf(row: SessionRow): SessionRecord {
  return {
    namespace: row.namespace,
    id: row.id,
    project: row.project,
    agentType: row.agent_type,
    agent: row.agent,
    state: row.state as SessionState,
    isFrozen: row.is_frozen === 1,
    isSpawned: row.is_spawned === 1,
    generation: row.generation,
    metadata: row.metadata,
    lifecycle: row.lifecycle,
    createdAtUs: row.created_at_us,
    updatedAtUs: row.updated_at_us,
    ...(row.expires_at_us === null ? {} : { expiresAtUs: row.expires_at_us }),
    revision: row.revision,
    compactedRevision: row.compacted_revision,
    defaultTtlUs: row.default_ttl_us,
    idleTtlUs: row.idle_ttl_us,
    keyCount: row.key_count,
    valueBytes: row.value_bytes,
    task: row.task,
    noteCount: row.note_count,
    noteBytes: row.note_bytes,
    nextNote: row.next_note,
    notesDropped: row.notes_dropped,
    checkpointCount: row.checkpoint_count,
    checkpointBytes: row.checkpoint_bytes,
    headCheckpoint: row.head_checkpoint,
  };
}

export function rowOf(record: SessionRecord): Columns {
  return {
    namespace: record.namespace,
    id: record.id,
    project: record.project,
    agent_type: record.agentType,
    agent: record.agent,
    state: record.state,
    is_frozen: record.isFrozen ? 1 : 0,
    is_spawned: record.isSpawned ? 1 : 0,
    generation: record.generation,
    metadata: record.metadata,
    lifecycle: record.lifecycle,
    created_at_us: record.createdAtUs,
    updated_at_us: record.updatedAtUs,
    expires_at_us: record.expiresAtUs ?? null,
    revision: record.revision,
    compacted_revision: record.compactedRevision,
    default_ttl_us: record.defaultTtlUs,
    idle_ttl_us: record.idleTtlUs,
    idle_at_us: idleAtUs(record) ?? null,
    key_count: record.keyCount,
    value_bytes: record.valueBytes,
    task: record.task,
    note_count: record.noteCount,
    note_bytes: record.noteBytes,
    next_note: record.nextNote,
    notes_dropped: record.notesDropped,
    checkpoint_count: record.checkpointCount,
    checkpoint_bytes: record.checkpointBytes,
    head_checkpoint: record.headCheckpoint,
  };
}
