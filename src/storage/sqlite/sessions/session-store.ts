import type { Idempotency } from '../../../memory/call.ts';
import type { Micros } from '../../../memory/memory.ts';
import { type Checkpoint, isExpired, type SessionKey, type SessionRecord } from '../../../memory/session.ts';
import type { SessionOutcome, SessionStatistics, SessionStore, SessionWrite } from '../../session-store.ts';
import { ChangeListeners } from '../../sessions/change-listeners.ts';
import type { SqliteDatabase } from '../database.ts';
import { keptOutcome } from '../idempotency.ts';
import type { SqliteMemoryStore } from '../memory-store.ts';
import { checkpointRow } from './checkpoint-rows.ts';
import { withOwnBytes } from './outgoing-write.ts';
import {
  getEntries,
  getEntry,
  listChanges,
  listCheckpoints,
  listEntries,
  listNotes,
  sessionStatistics,
} from './session-reads.ts';
import { idleSessions, recordOf, sessionByName, sessionsAfter } from './session-rows.ts';

type Reads<K extends keyof SessionStore> = SessionStore[K] extends (...read: infer R) => unknown ? R[0] : never;
type Answer<K extends keyof SessionStore> = SessionStore[K] extends (...read: never[]) => infer A ? A : never;

const PAGE_OF_SESSIONS = 256;

/** Sessions in the database of the memories: writes go through the same thread and the same commits. */
export class SqliteSessionStore implements SessionStore {
  readonly storesEpisodes = true;
  private readonly store: Pick<SqliteMemoryStore, 'write' | 'read' | 'scan' | 'describe'>;
  private readonly listeners = new ChangeListeners();

  constructor(store: Pick<SqliteMemoryStore, 'write' | 'read' | 'scan' | 'describe'>) {
    this.store = store;
  }

  async write(write: SessionWrite): Promise<SessionOutcome> {
    const outcome = await this.store.write('writeSession', withOwnBytes(write));
    this.listeners.tell(write);
    return outcome;
  }

  outcomeOf({ namespace }: SessionKey, idempotency: Idempotency): Promise<SessionOutcome | undefined> {
    return this.store.read((database) => keptOutcome(database, namespace, idempotency)?.outcome as SessionOutcome);
  }
  session({ namespace, session }: SessionKey): Promise<SessionRecord | undefined> {
    return this.store.read((database) => {
      const row = sessionByName(database).get({ namespace, id: session });
      return row && recordOf(row);
    });
  }
  sessions(read: Reads<'sessions'>): Answer<'sessions'> {
    return this.store.read((database) => listSessions(database, read));
  }
  get(read: Reads<'get'>): Answer<'get'> {
    const [key] = read.keys;
    return this.store.read((database) =>
      read.keys.length === 1 && key !== undefined
        ? getEntry(database, { ...read, key })
        : atOnce(database, () => getEntries(database, read)),
    );
  }
  list(read: Reads<'list'>): Answer<'list'> {
    return this.store.read((database) => atOnce(database, () => listEntries(database, read)));
  }
  notes(read: Reads<'notes'>): Answer<'notes'> {
    return this.store.read((database) => atOnce(database, () => listNotes(database, read)));
  }
  checkpoint({ namespace, session, id, nowUs }: Reads<'checkpoint'>): Answer<'checkpoint'> {
    return this.store.read((database) => {
      const found = sessionByName(database).get({ namespace, id: session });
      const row = found && checkpointRow(database).get({ session_key: found.key, id });
      const checkpoint = row && (JSON.parse(row.body) as Checkpoint);
      return checkpoint && !isExpired(checkpoint, nowUs) ? checkpoint : undefined;
    });
  }
  checkpoints(read: Reads<'checkpoints'>): Answer<'checkpoints'> {
    return this.store.read((database) => listCheckpoints(database, read));
  }
  /** Decompresses megabytes, so it has a thread of its own. */
  snapshot(read: Reads<'snapshot'>): Answer<'snapshot'> {
    return this.store.scan({ kind: 'sessionSnapshot', read });
  }
  changes(read: Reads<'changes'>): Answer<'changes'> {
    return this.store.read((database) => atOnce(database, () => listChanges(database, read)));
  }
  onChange(key: SessionKey, listener: () => void): () => void {
    return this.listeners.add(key, listener);
  }
  statistics(key: SessionKey, nowUs: Micros): Promise<SessionStatistics | undefined> {
    return this.store.read((database) => atOnce(database, () => sessionStatistics(database, key, nowUs)));
  }

  idle({ nowUs, limit }: Reads<'idle'>): Answer<'idle'> {
    return this.store.read((database) =>
      idleSessions(database)
        .all({ now_us: nowUs, limit })
        .map(({ namespace, id }) => ({ namespace, session: id })),
    );
  }

  async eraseExpired(read: Reads<'eraseExpired'>): Answer<'eraseExpired'> {
    const { erasedCount, sessions } = await this.store.write('eraseExpiredSessions', read);
    for (const key of sessions) this.listeners.tell(key);
    return { erasedCount, isDone: erasedCount < read.limit };
  }
  async eraseSession(key: SessionKey): Promise<boolean> {
    const wasThere = await this.store.write('eraseSession', { namespace: key.namespace, session: key.session });
    this.listeners.tell(key);
    return wasThere;
  }
  async eraseNamespace(namespace: string): Promise<void> {
    await this.store.write('eraseSessionsOfNamespace', { namespace });
    this.listeners.tellAll();
  }
  describe(): { role: string; technology: string; durability: string }[] {
    return this.store.describe().map((part) => ({ ...part, role: 'sessions' }));
  }
  /** The store of memories owns the database. */
  async close(): Promise<void> {}
}

/** Several statements on one state of the store. */
function atOnce<A>(database: SqliteDatabase, read: () => A): A {
  return database.transaction(read)();
}

function listSessions(
  database: SqliteDatabase,
  { namespace, limit, afterId = '', states }: Reads<'sessions'>,
): SessionRecord[] {
  const found: SessionRecord[] = [];
  for (let id = afterId; found.length < limit; ) {
    const page = sessionsAfter(database).all({ namespace, id, limit: PAGE_OF_SESSIONS });
    found.push(...page.map(recordOf).filter(({ state }) => !states || states.includes(state)));
    id = page.at(-1)?.id ?? '';
    if (page.length < PAGE_OF_SESSIONS) break;
  }
  return found.slice(0, limit);
}
