import type { SessionKey, SessionRecord } from '../../../memory/session.ts';
import { nameOf, type SessionDraftRecord } from '../../sessions/session-view.ts';
import type { SqliteDatabase } from '../database.ts';
import { insertSession, recordOf, rowOf, sessionByKey, sessionByName, updateSession } from './session-rows.ts';

const KEPT_MAX = 1000;

/** A session as the writer remembers it. */
export interface OpenSession {
  readonly key: number;
  record: SessionDraftRecord;
}

/**
 * The records of sessions that the writer works on. Each is written once per transaction, by `save`, however many writes
 * of a batch change it.
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

  /** Forgets a session whose row is gone. */
  forget(session: OpenSession): void {
    this.changed.delete(session);
    this.byName.delete(nameOf(keyOf(session)));
  }

  save(): void {
    for (const { key, record } of this.changed) updateSession(this.database).run({ ...rowOf(record), key });
    this.changed.clear();
    if (this.byName.size > KEPT_MAX) this.byName.clear();
  }

  /** After the transaction was undone. */
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
