import type { SessionKey, SessionRecord } from '../../../memory/session.ts';
import { nameOf, type SessionDraftRecord } from '../../sessions/session-view.ts';
import type { SqliteDatabase } from '../database.ts';
import { insertSession, recordOf, rowOf, sessionByKey, sessionByName, updateSession } from './session-rows.ts';

const KEPT_MAX = 1000;

/** A session in the writer's cache. */
export interface OpenSession {
  readonly key: number;
  record: SessionDraftRecord;
}

/**
 * Records of the sessions that the writer changes. `save` writes each once per transaction, however many writes of a
 * batch change it.
 */
export class SessionCache {
  private readonly database: SqliteDatabase;
  private readonly byName = new Map<string, OpenSession>();
  private readonly changed = new Set<OpenSession>();

  constructor(database: SqliteDatabase) {
    this.database = database;
  }

  find({ namespace, session }: SessionKey): OpenSession | undefined {
    const known = this.byName.get(nameOf({ namespace, session }));
    if (known) return known;
    const row = sessionByName(this.database).get({ namespace, id: session });
    return row && this.keep({ key: row.key, record: recordOf(row) });
  }

  byKey(key: number): OpenSession | undefined {
    const row = sessionByKey(this.database).get({ key });
    return row && this.find({ namespace: row.namespace, session: row.id });
  }

  insert(record: SessionRecord): OpenSession {
    const key = insertSession(this.database).get(rowOf(record))?.key;
    if (key === undefined) throw new Error('a session was inserted and has no key');
    return this.keep({ key, record: { ...record } });
  }

  touch(session: OpenSession): void {
    this.changed.add(session);
  }

  /** Removes a session whose row is deleted. */
  forget(session: OpenSession): void {
    this.changed.delete(session);
    this.byName.delete(nameOf(keyOf(session)));
  }

  save(): void {
    for (const { key, record } of this.changed) updateSession(this.database).run({ ...rowOf(record), key });
    this.changed.clear();
    if (this.byName.size > KEPT_MAX) this.byName.clear();
  }

  /** To be called after the transaction was rolled back. */
  clear(): void {
    this.byName.clear();
    this.changed.clear();
  }

  private keep(session: OpenSession): OpenSession {
    this.byName.set(nameOf(keyOf(session)), session);
    return session;
  }
}

function keyOf({ record }: OpenSession): SessionKey {
  return { namespace: record.namespace, session: record.id };
}
