import { isExpired, type SessionRecord, sessionExists, sessionNotFound } from '../../memory/session.ts';
import type { OpResult, SessionOutcome, SessionWrite } from '../session-store.ts';
import { compactionOf, newRecord, type SessionDraftRecord } from './session-view.ts';

export interface SessionStart {
  /** The session before the write. */
  readonly record: SessionRecord;
  readonly created: boolean;
  /** True where an expired session still has the id. */
  readonly replaces: boolean;
}

/** Fails with SESSION_NOT_FOUND and SESSION_EXISTS. */
export function startOf(write: SessionWrite, stored: SessionRecord | undefined): SessionStart {
  if (stored && !isExpired(stored, write.atUs)) {
    if (write.create?.mustBeNew) throw sessionExists(write, stored.state);
    return { record: stored, created: false, replaces: false };
  }
  if (!write.create) throw sessionNotFound(write);
  return { record: newRecord(write, write.create, write.atUs), created: true, replaces: stored !== undefined };
}

/** Drops the oldest changes of the record when there are too many. */
export function compact(
  record: SessionDraftRecord,
  { limits }: SessionWrite,
  drop: (compactedRevision: number) => void,
): void {
  const compacted = compactionOf(record, limits.changesMax);
  if (compacted === undefined) return;
  record.compactedRevision = compacted;
  drop(compacted);
}

export function outcomeOfWrite(
  { ops }: SessionWrite,
  record: SessionRecord,
  created: boolean,
  results: readonly OpResult[],
): SessionOutcome {
  const isMove = ops.some(({ kind }) => kind === 'transition');
  return { revision: record.revision, created, results, ...(isMove && { record: { ...record } }) };
}

/** Ids of the memories that a write stores. */
export function episodeIds({ ops }: Pick<SessionWrite, 'ops'>): string[] {
  return ops.flatMap((op) => (op.kind === 'transition' ? (op.episode?.memories ?? []).map(({ id }) => id) : []));
}
