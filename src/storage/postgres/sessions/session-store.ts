import type { Idempotency } from '../../../memory/call.ts';
import { MnemeError } from '../../../memory/errors.ts';
import type { Micros } from '../../../memory/memory.ts';
import type { SessionKey, SessionRecord } from '../../../memory/session.ts';
import { keptOutcome } from '../../rules/kept-outcome.ts';
import type { SessionOutcome, SessionStatistics, SessionStore, SessionWrite } from '../../session-store.ts';
import type { PostgresCore } from '../core.ts';
import { type PostgresDatabase, queries } from '../database.ts';
import { Lanes } from '../lanes.ts';
import { keptOf, selectOutcomes } from '../loaded-namespace.ts';
import { dueSessions, eraseSessionRows, erasingSessionsOf } from './erase-sessions.ts';
import { erasureJob, expiryJob, type SessionJob, writeJob } from './session-job.ts';
import * as reads from './session-reads.ts';
import type { WatchedSessions } from './watched-sessions.ts';
import { writeSessions } from './write-sessions.ts';

type Reads<K extends keyof SessionStore> = SessionStore[K] extends (...read: infer R) => unknown ? R[0] : never;
type Answer<K extends keyof SessionStore> = SessionStore[K] extends (...read: never[]) => infer A ? A : never;

export interface PostgresSessionParts {
  readonly core: PostgresCore;
  readonly watched: WatchedSessions;
  /** Names this server among those that share the sessions. */
  readonly origin: string;
  readonly durability: string;
}

/**
 * Sessions in PostgreSQL, beside the memories: several servers share them, and every read sees the writes of any. A
 * write locks its session and is worked out by the rules of `storage/sessions` on the rows that it needs. Writes of a
 * namespace that wait go together as one transaction.
 */
export class PostgresSessionStore implements SessionStore {
  readonly storesEpisodes = true;
  private readonly core: PostgresCore;
  private readonly watched: WatchedSessions;
  private readonly durability: string;
  private readonly lanes: Lanes<SessionJob>;
  private isClosed = false;

  constructor({ core, watched, origin, durability }: PostgresSessionParts) {
    this.core = core;
    this.watched = watched;
    this.durability = durability;
    this.lanes = new Lanes({ ...core, carryOut: (namespace, jobs) => writeSessions(core, origin, namespace, jobs) });
    // A server may have ended before it had erased all rows of an erased session.
    this.eraseRows();
  }

  async write(write: SessionWrite): Promise<SessionOutcome> {
    const job = writeJob(write);
    this.core.upkeep.noted(write.idempotency);
    const outcome = (await this.lanes.submit(write.namespace, job)) as SessionOutcome;
    this.watched.tell(write);
    if (write.ops.some((op) => op.kind === 'transition' && op.erases)) this.eraseRows();
    return outcome;
  }

  async outcomeOf({ namespace }: SessionKey, idempotency: Idempotency): Promise<SessionOutcome | undefined> {
    const query = selectOutcomes(namespace, [idempotency.requestId]);
    const [row] = await this.database.readInCall((session) => session.run(query));
    return keptOutcome(row && keptOf(row), idempotency, 0)?.outcome as SessionOutcome | undefined;
  }
  session(key: SessionKey): Promise<SessionRecord | undefined> {
    return reads.readRecord(this.database, key);
  }
  sessions(read: Reads<'sessions'>): Answer<'sessions'> {
    return reads.listSessions(this.database, read);
  }
  get(read: Reads<'get'>): Answer<'get'> {
    return reads.getEntries(this.database, read);
  }
  list(read: Reads<'list'>): Answer<'list'> {
    return reads.listEntries(this.database, read);
  }
  notes(read: Reads<'notes'>): Answer<'notes'> {
    return reads.listNotes(this.database, read);
  }
  checkpoint(read: Reads<'checkpoint'>): Answer<'checkpoint'> {
    return reads.readCheckpoint(this.database, read);
  }
  checkpoints(read: Reads<'checkpoints'>): Answer<'checkpoints'> {
    return reads.listCheckpoints(this.database, read);
  }
  snapshot(read: Reads<'snapshot'>): Answer<'snapshot'> {
    return reads.readSnapshot(this.database, read);
  }
  changes(read: Reads<'changes'>): Answer<'changes'> {
    return reads.listChanges(this.database, read);
  }
  onChange(key: SessionKey, listener: () => void): () => void {
    return this.watched.add(key, listener);
  }
  statistics(key: SessionKey, nowUs: Micros): Promise<SessionStatistics | undefined> {
    return reads.readStatistics(this.database, key, nowUs);
  }

  async idle({ nowUs, limit }: Reads<'idle'>): Answer<'idle'> {
    const query = queries
      .selectFrom('session')
      .select(['namespace', 'id'])
      .where('idle_at_us', '<=', nowUs)
      .orderBy('idle_at_us')
      .limit(limit);
    const rows = await this.database.read((session) => session.run(query));
    return rows.map(({ namespace, id }) => ({ namespace, session: id }));
  }

  async eraseExpired({ nowUs, limit }: Reads<'eraseExpired'>): Answer<'eraseExpired'> {
    const due = await dueSessions(this.database, { nowUs, limit });
    const counts = await Promise.all(
      due.map(async (key) => (await this.lanes.submit(key.namespace, expiryJob(key, nowUs, limit))) as number),
    );
    for (const key of due) this.watched.tell(key);
    this.eraseRows();
    const erasedCount = counts.reduce((sum, count) => sum + count, 0);
    return { erasedCount, isDone: erasedCount < limit };
  }
  async eraseSession(key: SessionKey): Promise<boolean> {
    const wasThere = (await this.lanes.submit(key.namespace, erasureJob(key))) as boolean;
    this.watched.tell(key);
    this.eraseRows();
    return wasThere;
  }
  async eraseNamespace(namespace: string): Promise<void> {
    await this.database.transaction((session) => session.runAll(erasingSessionsOf(namespace)));
    this.watched.tellAll();
    this.eraseRows();
  }
  async fenceNamespace(): Promise<void> {}
  describe(): { role: string; technology: string; durability: string }[] {
    return [{ role: 'sessions', technology: 'postgres', durability: this.durability }];
  }
  /** The store of the records closes the connections. */
  async close(): Promise<void> {
    this.isClosed = true;
    await this.lanes.close();
  }

  private get database(): PostgresDatabase {
    if (this.isClosed) throw new MnemeError('DRAINING', 'the store is closed');
    return this.core.database;
  }

  private eraseRows(): void {
    this.core.upkeep.run(() => eraseSessionRows(this.core.upkeep.step));
  }
}
