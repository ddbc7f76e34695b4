import type { SessionRecord } from '../../memory/session.ts';
import type { SessionStatistics } from '../session-store.ts';

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
