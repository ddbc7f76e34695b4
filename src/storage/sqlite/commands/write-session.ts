import { isExpired, sessionExists, sessionNotFound } from '../../../memory/session.ts';
import type { SessionOutcome, SessionWrite } from '../../session-store.ts';
import { applyWrite } from '../../sessions/apply-write.ts';
import { compactionOf, newRecord } from '../../sessions/new-record.ts';
import type { Changes } from '../changes.ts';
import { dropChanges } from '../sessions/change-rows.ts';
import { eraseSession } from '../sessions/erase-session.ts';
import type { OpenSession } from '../sessions/session-cache.ts';
import { SqliteSessionView } from '../sessions/session-view.ts';

export function writeSession(changes: Changes, write: SessionWrite): SessionOutcome {
  const found = liveSession(changes, write);
  const session = found ?? makeSession(changes, write);
  const record = { ...session.record };
  try {
    const view = new SqliteSessionView(changes, session.key, record, write.atUs);
    const results = applyWrite(view, write);
    const compactedRevision = compactionOf(record, write.limits.changesMax);
    if (compactedRevision !== undefined) {
      dropChanges(changes.database).run({ session_key: session.key, revision: compactedRevision });
      record.compactedRevision = compactedRevision;
    }
    session.record = record;
    if (view.isErased) eraseSession(changes, session);
    else changes.sessions.touch(session);
    const isMove = write.ops.some(({ kind }) => kind === 'transition');
    return { revision: record.revision, created: !found, results, ...(isMove && { record }) };
  } catch (error) {
    // The row goes with the command.
    if (!found) changes.sessions.forget(session);
    throw error;
  }
}

function liveSession(changes: Changes, write: SessionWrite): OpenSession | undefined {
  const found = changes.sessions.find(write);
  if (!found) return undefined;
  if (!isExpired(found.record, write.atUs)) {
    if (write.create?.mustBeNew) throw sessionExists(write, found.record.state);
    return found;
  }
  eraseSession(changes, found);
  return undefined;
}

function makeSession(changes: Changes, write: SessionWrite): OpenSession {
  if (!write.create) throw sessionNotFound(write);
  changes.namespace(write.namespace);
  return changes.sessions.insert(newRecord(write, write.create, write.atUs));
}
