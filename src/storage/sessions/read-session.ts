import type { Note, SessionRecord } from '../../memory/session.ts';
import type { NoteListRead, SessionStatistics } from '../session-store.ts';

/** `expired`: of the keys that are not deleted yet. */
export function statisticsOf(
  record: SessionRecord,
  expired: { readonly count: number; readonly bytes: number },
): SessionStatistics {
  const { project, agentType, agent, revision, noteCount, noteBytes, notesDropped } = record;
  const { checkpointCount, checkpointBytes, createdAtUs, updatedAtUs } = record;
  return {
    ...{ project, agentType, agent, usingFallback: false },
    ...{ revision, noteCount, noteBytes, notesDropped, checkpointCount, checkpointBytes, createdAtUs, updatedAtUs },
    keyCount: record.keyCount - expired.count,
    valueBytes: record.valueBytes - expired.bytes,
    hasTask: record.task !== '',
  };
}

/** A page of notes that are in memory in the requested order. */
export function pageOfNotes(
  ordered: readonly Note[],
  { limit, bytesMax }: Pick<NoteListRead, 'limit' | 'bytesMax'>,
): { notes: readonly Note[]; isLast: boolean } {
  let bytes = 0;
  const end = ordered.findIndex(({ content }, at) => {
    bytes += content.data.byteLength;
    return at >= limit || (at > 0 && bytes > bytesMax);
  });
  return { notes: end < 0 ? ordered : ordered.slice(0, end), isLast: end < 0 };
}
