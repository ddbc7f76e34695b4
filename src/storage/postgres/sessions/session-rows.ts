import {
  type Checkpoint,
  type Entry,
  type EntryHead,
  idleAtUs,
  type Note,
  type SessionRecord,
} from '../../../memory/session.ts';
import type { SessionCheckpointTable, SessionEntryTable, SessionNoteTable, SessionTable } from './session-schema.ts';

export function recordOf({ record }: Pick<SessionTable, 'record'>): SessionRecord {
  return JSON.parse(record) as SessionRecord;
}

export function sessionRow(key: number, record: SessionRecord): SessionTable {
  return {
    key,
    namespace: record.namespace,
    id: record.id,
    state: record.state,
    revision: record.revision,
    expires_at_us: record.expiresAtUs ?? null,
    idle_at_us: idleAtUs(record) ?? null,
    head_checkpoint: record.headCheckpoint,
    record: JSON.stringify(record),
  };
}

export type HeadRow = Omit<SessionEntryTable, 'session_key' | 'media_type' | 'data'>;

export function headOfRow(row: HeadRow): EntryHead {
  return {
    key: row.key,
    version: row.version,
    contentRevision: row.content_revision,
    bytes: row.bytes,
    createdAtUs: row.created_at_us,
    updatedAtUs: row.updated_at_us,
    ...(row.expires_at_us === null ? {} : { expiresAtUs: row.expires_at_us }),
  };
}

export function entryOfRow(row: HeadRow & Pick<SessionEntryTable, 'media_type' | 'data'>): Entry {
  return { ...headOfRow(row), content: { mediaType: row.media_type, data: row.data } };
}

export function entryRow(sessionKey: number, { content, ...head }: Entry): SessionEntryTable {
  return {
    session_key: sessionKey,
    key: head.key,
    version: head.version,
    content_revision: head.contentRevision,
    bytes: head.bytes,
    created_at_us: head.createdAtUs,
    updated_at_us: head.updatedAtUs,
    expires_at_us: head.expiresAtUs ?? null,
    media_type: content.mediaType,
    data: content.data,
  };
}

export function noteOfRow(row: Omit<SessionNoteTable, 'session_key'>): Note {
  return { sequence: row.sequence, atUs: row.at_us, content: { mediaType: row.media_type, data: row.data } };
}

export function noteRow(sessionKey: number, { sequence, atUs, content }: Note): SessionNoteTable {
  return { session_key: sessionKey, sequence, at_us: atUs, media_type: content.mediaType, data: content.data };
}

export function checkpointOfRow({ body }: Pick<SessionCheckpointTable, 'body'>): Checkpoint {
  return JSON.parse(body) as Checkpoint;
}

export function checkpointRow(sessionKey: number, checkpoint: Checkpoint): SessionCheckpointTable {
  const { id, revision, expiresAtUs, packs } = checkpoint;
  return {
    session_key: sessionKey,
    id,
    revision,
    expires_at_us: expiresAtUs ?? null,
    packs,
    body: JSON.stringify(checkpoint),
  };
}
