import type { Micros } from '../../../memory/memory.ts';
import type { SessionKey } from '../../../memory/session.ts';
import { eraseExpiredIn } from '../../sessions/erase-expired.ts';
import type { Changes } from '../changes.ts';
import { prepared, queries } from '../database.ts';
import { eraseSession, eraseSessionsOf } from '../sessions/erase-session.ts';
import { SqliteSessionView } from '../sessions/session-view.ts';

const expiredSessions = prepared((p: { now_us: number; limit: number }) =>
  queries.selectFrom('session').select('key').where('expires_at_us', '<=', p.now_us).limit(p.limit),
);
const withExpiredEntries = prepared((p: { now_us: number; limit: number }) =>
  queries.selectFrom('session_entry').select('session_key').where('expires_at_us', '<=', p.now_us).limit(p.limit),
);
const withExpiredCheckpoints = prepared((p: { now_us: number; limit: number }) =>
  queries.selectFrom('session_checkpoint').select('session_key').where('expires_at_us', '<=', p.now_us).limit(p.limit),
);

export interface ExpiredErased {
  readonly erasedCount: number;
  /** Whose contents have changed. */
  readonly sessions: readonly SessionKey[];
}

/** Erases sessions, keys and checkpoints whose time has come, at most about `limit` of each. */
export function eraseExpiredSessions(
  changes: Changes,
  { nowUs, limit }: { readonly nowUs: Micros; readonly limit: number },
): ExpiredErased {
  const { database } = changes;
  const due = { now_us: nowUs, limit };
  let erasedCount = 0;
  const touched: SessionKey[] = [];
  // What is remembered of sessions and not yet written may say other things than the rows.
  changes.sessions.save();
  for (const { key } of expiredSessions(database).all(due)) {
    const session = changes.sessions.byKey(key);
    if (session) eraseSession(changes, session);
    erasedCount++;
  }
  const rows = [...withExpiredEntries(database).all(due), ...withExpiredCheckpoints(database).all(due)];
  for (const key of new Set(rows.map(({ session_key }) => session_key))) {
    const session = changes.sessions.byKey(key);
    if (!session) continue;
    const record = { ...session.record };
    erasedCount += eraseExpiredIn(new SqliteSessionView(changes, key, record, nowUs), nowUs, limit);
    session.record = record;
    changes.sessions.touch(session);
    touched.push({ namespace: record.namespace, session: record.id });
  }
  return { erasedCount, sessions: touched };
}

export function eraseSessionNow(changes: Changes, key: SessionKey): boolean {
  const session = changes.sessions.find(key);
  if (!session) return false;
  eraseSession(changes, session);
  return true;
}

export function eraseSessionsOfNamespace(changes: Changes, { namespace }: { readonly namespace: string }): undefined {
  eraseSessionsOf(changes, namespace);
}
