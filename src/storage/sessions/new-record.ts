import type { Micros } from '../../memory/memory.ts';
import type { SessionKey, SessionRecord } from '../../memory/session.ts';
import type { SessionDraft } from '../session-store.ts';

/** A session before its first write. */
export function newRecord({ namespace, session }: SessionKey, draft: SessionDraft, atUs: Micros): SessionRecord {
  const { project, agentType, agent, defaultTtlUs, idleTtlUs, isSpawned } = draft;
  return {
    namespace,
    id: session,
    project,
    agentType,
    agent,
    state: 'active',
    isFrozen: false,
    isSpawned,
    generation: 0,
    metadata: '{}',
    lifecycle: '{}',
    createdAtUs: atUs,
    updatedAtUs: atUs,
    revision: 0,
    compactedRevision: 0,
    defaultTtlUs,
    idleTtlUs,
    keyCount: 0,
    valueBytes: 0,
    task: '',
    noteCount: 0,
    noteBytes: 0,
    nextNote: 1,
    notesDropped: 0,
    checkpointCount: 0,
    checkpointBytes: 0,
    headCheckpoint: '',
  };
}

/** Revision up to which changes are to be dropped now, some at a time; `undefined` when none are. */
export function compactionOf(
  { revision, compactedRevision }: Pick<SessionRecord, 'revision' | 'compactedRevision'>,
  changesMax: number,
): number | undefined {
  const slack = Math.max(1, Math.min(256, changesMax >> 3));
  return revision - compactedRevision >= changesMax + slack ? revision - changesMax : undefined;
}
