import type { Micros } from '../../../memory/memory.ts';
import type { SessionKey } from '../../../memory/session.ts';
import { eraseExpiredIn } from '../../sessions/apply-write.ts';
import { eraseMemory } from '../change-memory.ts';
import type { Changes } from '../changes.ts';
import { prepared, queries, type SqliteDatabase } from '../database.ts';
import { eraseVectorsIn } from '../namespace-rows.ts';
import { vectorKeyRange } from '../rows.ts';
import { rowKeyRange } from '../schema.ts';
import { eraseSession, eraseSessionRows, eraseSessionsOf, hasSessionRows } from '../sessions/erase-session.ts';
import { SqliteSessionView } from '../sessions/session-view.ts';

/** Maximum memories that one command erases: it delays other writes by a few milliseconds at most. */
const ERASED_MAX = 64;
const VECTORS_ERASED_MAX = 256;
/** Free pages that a view keeps for its next writes, and pages that one command gives back to the disk. */
const FREE_PAGES_KEPT = 1024;
const PAGES_GIVEN_BACK = 512;
/** `auto_vacuum` of a database that gives pages back when it is asked to. */
const INCREMENTAL = 2;

const nextErasure = prepared((_: object) => queries.selectFrom('namespace_erasure').select('namespace_key').limit(1));
const nextSpace = prepared((_: object) => queries.selectFrom('vector_erasure').selectAll().limit(1));
const endSpace = prepared((p: { key: number }) =>
  queries.deleteFrom('vector_erasure').where('namespace_key', '=', p.key),
);
const keysIn = prepared((p: { first: number; last: number }) =>
  queries
    .selectFrom('memory')
    .select('pk')
    .where('pk', '>=', p.first)
    .where('pk', '<=', p.last)
    .orderBy('pk')
    .limit(ERASED_MAX),
);
const deletePaths = prepared((p: { key: number }) =>
  queries.deleteFrom('value_path').where('namespace_key', '=', p.key),
);
const endErasure = prepared((p: { key: number }) =>
  queries.deleteFrom('namespace_erasure').where('namespace_key', '=', p.key),
);

/**
 * Erases a part of the rows of deleted namespaces, replaced vectors and erased sessions; where there are none, a view gives
 * a part of its free pages back to the disk.
 */
export function eraseLeftovers(changes: Changes): { isDone: boolean } {
  const { database } = changes;
  eraseOldVectors(database);
  eraseSessionRows(database);
  const key = nextErasure(database).get({})?.namespace_key;
  if (key === undefined) {
    if (hasFreePages(database)) database.pragma(`incremental_vacuum(${PAGES_GIVEN_BACK})`);
    return { isDone: !hasLeftovers(database) };
  }
  const rows = keysIn(database).all(rowKeyRange(key));
  for (const { pk } of rows) eraseMemory(changes, key, pk);
  if (rows.length < ERASED_MAX) {
    deletePaths(database).run({ key });
    endErasure(database).run({ key });
  }
  return { isDone: !hasLeftovers(database) };
}

export function hasLeftovers(database: SqliteDatabase): boolean {
  return (
    nextErasure(database).get({}) !== undefined ||
    nextSpace(database).get({}) !== undefined ||
    hasSessionRows(database) ||
    hasFreePages(database)
  );
}

const vacuums = new WeakMap<SqliteDatabase, unknown>();

function hasFreePages(database: SqliteDatabase): boolean {
  const mode = vacuums.get(database) ?? database.pragma('auto_vacuum', { simple: true });
  vacuums.set(database, mode);
  return mode === INCREMENTAL && Number(database.pragma('freelist_count', { simple: true })) > FREE_PAGES_KEPT;
}

function eraseOldVectors(database: SqliteDatabase): void {
  const space = nextSpace(database).get({});
  if (!space) return;
  const range = vectorKeyRange(space.namespace_key, space.sign);
  const count = eraseVectorsIn(database).run({ ...range, limit: VECTORS_ERASED_MAX });
  if (count < VECTORS_ERASED_MAX) endSpace(database).run({ key: space.namespace_key });
}

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
  /** Sessions with changed contents. */
  readonly sessions: readonly SessionKey[];
}

/** Erases expired sessions, keys and checkpoints, at most about `limit` of each. */
export function eraseExpiredSessions(
  changes: Changes,
  { nowUs, limit }: { readonly nowUs: Micros; readonly limit: number },
): ExpiredErased {
  const { database } = changes;
  const due = { now_us: nowUs, limit };
  let erasedCount = 0;
  const touched: SessionKey[] = [];
  // Cached sessions that are not yet written may differ from their rows.
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
