import { sql } from '#kysely';
import type { Changes } from '../changes.ts';
import { prepared, queries, type SqliteDatabase } from '../database.ts';
import { eraseLifecycleOf } from './lifecycle-event-rows.ts';
import type { OpenSession } from './session-cache.ts';

/** Maximum rows that one command erases of each table: it delays other writes by a few milliseconds at most. */
const ROWS_MAX = 512;

const deleteRow = prepared((p: { key: number }) => queries.deleteFrom('session').where('key', '=', p.key));
const leaveRows = prepared((p: { key: number }) =>
  queries.insertInto('session_erasure').values({ session_key: p.key }),
);
const leaveAll = prepared(
  (p: { namespace: string }) =>
    sql`INSERT INTO session_erasure(session_key) SELECT key FROM session WHERE namespace = ${p.namespace}`,
);
const deleteAll = prepared((p: { namespace: string }) =>
  queries.deleteFrom('session').where('namespace', '=', p.namespace),
);
const nextErasure = prepared((_: object) => queries.selectFrom('session_erasure').select('session_key').limit(1));
const endErasure = prepared((p: { key: number }) =>
  queries.deleteFrom('session_erasure').where('session_key', '=', p.key),
);
const someOf = (table: 'session_entry' | 'session_note' | 'session_manifest' | 'session_pack') => {
  const rows = sql.ref(`${table}.rowid`);
  return prepared(
    (p: { key: number; limit: number }) => sql`DELETE FROM ${sql.table(table)} WHERE rowid IN
      (SELECT ${rows} FROM ${sql.table(table)} WHERE session_key = ${p.key} LIMIT ${p.limit})`,
  );
};
const eraseEntries = someOf('session_entry');
const eraseNotes = someOf('session_note');
const eraseManifests = someOf('session_manifest');
const erasePacks = someOf('session_pack');
const eraseCheckpoints = prepared((p: { key: number }) =>
  queries.deleteFrom('session_checkpoint').where('session_key', '=', p.key),
);
const eraseChanges = prepared(
  (p: { key: number; limit: number }) => sql`DELETE FROM session_change WHERE session_key = ${p.key} AND revision IN
    (SELECT revision FROM session_change WHERE session_key = ${p.key} LIMIT ${p.limit})`,
);

/** Deletes the session at once; its unreachable rows are erased later by `eraseSessionRows`. */
export function eraseSession({ database, sessions }: Changes, session: OpenSession): void {
  deleteRow(database).run({ key: session.key });
  leaveRows(database).run({ key: session.key });
  sessions.forget(session);
}

export function eraseSessionsOf({ database, sessions }: Changes, namespace: string): void {
  sessions.save();
  leaveAll(database).run({ namespace });
  deleteAll(database).run({ namespace });
  eraseLifecycleOf(database, namespace);
  sessions.clear();
}

export function hasSessionRows(database: SqliteDatabase): boolean {
  return nextErasure(database).get({}) !== undefined;
}

/** Erases a part of the rows of erased sessions. */
export function eraseSessionRows(database: SqliteDatabase): void {
  const key = nextErasure(database).get({})?.session_key;
  if (key === undefined) return;
  const counts = [eraseEntries, eraseNotes, eraseManifests, erasePacks, eraseChanges].map((erase) =>
    erase(database).run({ key, limit: ROWS_MAX }),
  );
  if (counts.some((count) => count >= ROWS_MAX)) return;
  eraseCheckpoints(database).run({ key });
  endErasure(database).run({ key });
}
