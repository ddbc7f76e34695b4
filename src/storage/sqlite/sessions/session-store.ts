import type { Content, Micros } from '../../../memory/memory.ts';
import { globOf } from '../../../memory/pattern.ts';
import {
  type Checkpoint,
  type Entry,
  isExpired,
  type SessionKey,
  type SessionRecord,
} from '../../../memory/session.ts';
import { afterPrefix } from '../../../memory/values.ts';
import type {
  ChangePage,
  EntryListRead,
  EntryPage,
  NoteListRead,
  NotePage,
  SessionOp,
  SessionOutcome,
  SessionStatistics,
  SessionStore,
  SessionWrite,
} from '../../session-store.ts';
import { pageOfNotes } from '../../sessions/read-session.ts';
import { ChangeListeners } from '../../sessions/session-view.ts';
import { prepared, queries, type SqliteDatabase } from '../database.ts';
import { keptOutcome } from '../idempotency.ts';
import type { SqliteMemoryStore } from '../memory-store.ts';
import {
  changesAfter,
  changesOf,
  checkpointRow,
  checkpointsBefore,
  type EntryRow,
  entriesInRange,
  entryOf,
  entryRow,
  expiredTotals,
  headOf,
  headsInRange,
  noteOf,
  notesDown,
  notesUp,
} from './entry-rows.ts';
import { idleSessions, recordOf, sessionByName, sessionsAfter } from './session-rows.ts';
import { checkWhole } from './whole-session.ts';

type Reads<K extends keyof SessionStore> = SessionStore[K] extends (...read: infer R) => unknown ? R[0] : never;

const PAGE_OF_SESSIONS = 256;

/** Sessions in the database of the memories: writes use the same thread and the same commits. */
export function sqliteSessions(store: Pick<SqliteMemoryStore, 'write' | 'read' | 'scan' | 'describe'>): SessionStore {
  const listeners = new ChangeListeners();
  /** Runs several statements on one state of the store. */
  const atOnce = <A>(read: (database: SqliteDatabase) => A): Promise<A> =>
    store.read((database) => database.transaction(() => read(database))());
  return {
    storesEpisodes: true,
    async write(write) {
      const outcome = await store.write({ kind: 'writeSession', ...withOwnBytes(write) });
      listeners.tell(write);
      return outcome;
    },
    outcomeOf: ({ namespace }, idempotency) =>
      store.read((database) => keptOutcome(database, namespace, idempotency)?.outcome as SessionOutcome),
    session: ({ namespace, session }) =>
      store.read((database) => {
        const row = sessionByName(database).get({ namespace, id: session });
        return row && recordOf(row);
      }),
    sessions: (read) => store.read((database) => listSessions(database, read)),
    async get(read) {
      const [key] = read.keys;
      const isOne = read.keys.length === 1 && key !== undefined;
      const found = isOne ? await store.read((database) => getEntry(database, { ...read, key })) : undefined;
      return found ?? atOnce((database) => getEntries(database, read));
    },
    list: (read) => atOnce((database) => listEntries(database, read)),
    notes: (read) => atOnce((database) => listNotes(database, read)),
    checkpoint: (read) => atOnce((database) => getCheckpoint(database, read)),
    checkpoints: (read) => atOnce((database) => listCheckpoints(database, read)),
    // The scan thread decompresses megabytes.
    snapshot: (read) => store.scan({ kind: 'sessionSnapshot', read }),
    changes: (read) => atOnce((database) => listChanges(database, read)),
    onChange: (key, listener) => listeners.add(key, listener),
    statistics: (key, nowUs) => atOnce((database) => sessionStatistics(database, key, nowUs)),
    idle: ({ nowUs, limit }) =>
      store.read((database) =>
        idleSessions(database)
          .all({ now_us: nowUs, limit })
          .map(({ namespace, id }) => ({ namespace, session: id })),
      ),
    async eraseExpired(read) {
      const { erasedCount, sessions } = await store.write({ kind: 'eraseExpiredSessions', ...read });
      for (const key of sessions) listeners.tell(key);
      return { erasedCount, isDone: erasedCount < read.limit };
    },
    async eraseSession({ namespace, session }) {
      const wasThere = await store.write({ kind: 'eraseSession', namespace, session });
      listeners.tell({ namespace, session });
      return wasThere;
    },
    async eraseNamespace(namespace) {
      await store.write({ kind: 'eraseSessionsOfNamespace', namespace });
      listeners.tellAll();
    },
    fenceNamespace: async () => undefined,
    describe: () => store.describe().map((part) => ({ ...part, role: 'sessions' })),
    // The memory store closes the database.
    close: async () => undefined,
  };
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

/** Greater than every key, as keys hold no character above U+10FFFF. */
const END = '\u{10ffff}\u{10ffff}';
const ROWS_PER_READ = 256;
/** Rows of a page in which no key may match: some milliseconds of work. */
const ROWS_PER_PAGE = 1024;

const sessionOf = prepared((p: { namespace: string; id: string }) =>
  queries
    .selectFrom('session')
    .select(['key', 'revision', 'compacted_revision', 'key_count', 'note_count', 'notes_dropped', 'checkpoint_count'])
    .where('namespace', '=', p.namespace)
    .where('id', '=', p.id),
);

/** One statement for the most frequent read, of a key that is there. */
const entryByName = prepared((p: { namespace: string; id: string; key: string }) =>
  queries
    .selectFrom('session')
    .leftJoin('session_entry', (join) =>
      join.onRef('session_entry.session_key', '=', 'session.key').on('session_entry.key', '=', p.key),
    )
    .select(['session.revision', 'session_entry.key', 'version', 'content_revision', 'bytes'])
    .select(['session_entry.created_at_us', 'session_entry.updated_at_us', 'session_entry.expires_at_us'])
    .select(['media_type', 'data'])
    .where('session.namespace', '=', p.namespace)
    .where('session.id', '=', p.id),
);

function getEntry(
  database: SqliteDatabase,
  { namespace, session, key, nowUs }: SessionKey & { key: string; nowUs: Micros },
): { revision: number; entries: (Entry | undefined)[] } | undefined {
  const row = entryByName(database).get({ namespace, id: session, key });
  if (!row) return { revision: 0, entries: [undefined] };
  if (row.key === null) return undefined;
  const isLive = row.expires_at_us === null || row.expires_at_us > nowUs;
  return { revision: row.revision, entries: [isLive ? entryOf(row as EntryRow) : undefined] };
}

function getEntries(
  database: SqliteDatabase,
  { namespace, session, keys, nowUs }: SessionKey & { keys: readonly string[]; nowUs: Micros },
): { revision: number; entries: (Entry | undefined)[] } {
  const found = sessionOf(database).get({ namespace, id: session });
  if (!found) return { revision: 0, entries: keys.map(() => undefined) };
  const rows = keys.map((key) => entryRow(database).get({ session_key: found.key, key }));
  if (rows.includes(undefined)) checkWhole(database, { namespace, session }, found, 'key_count');
  const entries = rows.map((row) =>
    row && (row.expires_at_us === null || row.expires_at_us > nowUs) ? entryOf(row) : undefined,
  );
  return { revision: found.revision, entries };
}

function listEntries(database: SqliteDatabase, read: EntryListRead): EntryPage {
  const { namespace, session, nowUs, limit, bytesMax, withValues } = read;
  const found = sessionOf(database).get({ namespace, id: session });
  if (!found) return { revision: 0, entries: [] };
  if (read.afterKey === undefined) checkWhole(database, read, found, 'key_count');
  const glob = read.pattern === undefined ? undefined : globOf(read.pattern);
  const to = (glob && afterPrefix(glob.prefix)) ?? END;
  const entries: EntryPage['entries'][number][] = [];
  let bytes = 0;
  // Keys hold no NUL, so no key lies between a key and that key followed by NUL.
  let from = read.afterKey === undefined ? (glob?.prefix ?? '') : `${read.afterKey}\0`;
  let nextAfter = '';
  for (let rows = 0; rows < ROWS_PER_PAGE; rows += ROWS_PER_READ) {
    const range = { session_key: found.key, from, to, now_us: nowUs, limit: ROWS_PER_READ };
    const page: EntryPage['entries'] = withValues
      ? entriesInRange(database).all(range).map(entryOf)
      : headsInRange(database).all(range).map(headOf);
    for (const entry of page) {
      if (!glob || glob.matches(entry.key)) {
        bytes += withValues ? entry.bytes : 0;
        const isFull = entries.length >= limit || (entries.length > 0 && bytes > bytesMax);
        if (isFull) return { revision: found.revision, entries, nextAfter };
        entries.push(entry);
      }
      nextAfter = entry.key;
    }
    if (page.length < ROWS_PER_READ) return { revision: found.revision, entries };
    from = `${nextAfter}\0`;
  }
  return { revision: found.revision, entries, nextAfter };
}

function listNotes(database: SqliteDatabase, read: NoteListRead): NotePage {
  const { namespace, session, order, after, limit } = read;
  const found = sessionOf(database).get({ namespace, id: session });
  if (!found) return { revision: 0, notes: [], isLast: true, total: 0, dropped: 0 };
  if (after === undefined) checkWhole(database, read, found, 'note_count');
  const isUp = order === 'oldest';
  const range = {
    session_key: found.key,
    from: isUp ? (after ?? 0) + 1 : 0,
    to: isUp || after === undefined ? Number.MAX_SAFE_INTEGER : after - 1,
    limit: limit + 1,
  };
  const rows = (isUp ? notesUp : notesDown)(database).all(range).map(noteOf);
  const { revision, note_count: total, notes_dropped: dropped } = found;
  return { revision, total, dropped, ...pageOfNotes(rows, read) };
}

function getCheckpoint(database: SqliteDatabase, { id, nowUs, ...key }: Reads<'checkpoint'>): Checkpoint | undefined {
  const found = sessionOf(database).get({ namespace: key.namespace, id: key.session });
  const row = found && checkpointRow(database).get({ session_key: found.key, id });
  if (found && !row) checkWhole(database, key, found, 'checkpoint_count');
  const checkpoint = row && (JSON.parse(row.body) as Checkpoint);
  return checkpoint && !isExpired(checkpoint, nowUs) ? checkpoint : undefined;
}

function listCheckpoints(
  database: SqliteDatabase,
  read: SessionKey & { limit: number; beforeRevision?: number; nowUs: Micros },
): Checkpoint[] {
  const found = sessionOf(database).get({ namespace: read.namespace, id: read.session });
  if (!found) return [];
  if (read.beforeRevision === undefined) checkWhole(database, read, found, 'checkpoint_count');
  const { limit, nowUs: now_us, beforeRevision: revision = Number.MAX_SAFE_INTEGER } = read;
  const rows = checkpointsBefore(database).all({ session_key: found.key, revision, now_us, limit });
  return rows.map(({ body }) => JSON.parse(body) as Checkpoint);
}

function listChanges(
  database: SqliteDatabase,
  { namespace, session, afterRevision, limit }: SessionKey & { afterRevision: number; limit: number },
): ChangePage {
  const found = sessionOf(database).get({ namespace, id: session });
  if (!found) return { revision: 0, compactedRevision: 0, changes: [] };
  const rows = changesAfter(database).all({ session_key: found.key, revision: afterRevision, limit });
  const last = rows.length === limit ? rows.at(-1) : undefined;
  if (last) rows.push(...changesOf(database).all({ session_key: found.key, revision: last.revision, part: last.part }));
  const changes = rows.map(({ at_us, ...change }) => ({ ...change, atUs: at_us }));
  return { revision: found.revision, compactedRevision: found.compacted_revision, changes };
}

function sessionStatistics(
  database: SqliteDatabase,
  { namespace, session }: SessionKey,
  nowUs: Micros,
): SessionStatistics | undefined {
  const row = sessionByName(database).get({ namespace, id: session });
  if (!row) return undefined;
  const expired = expiredTotals(database).get({ session_key: row.key, now_us: nowUs });
  return {
    project: row.project,
    agentType: row.agent_type,
    agent: row.agent,
    usingFallback: false,
    revision: row.revision,
    keyCount: row.key_count - (expired?.count ?? 0),
    valueBytes: row.value_bytes - (expired?.bytes ?? 0),
    noteCount: row.note_count,
    noteBytes: row.note_bytes,
    notesDropped: row.notes_dropped,
    hasTask: row.task !== '',
    checkpointCount: row.checkpoint_count,
    checkpointBytes: row.checkpoint_bytes,
    createdAtUs: row.created_at_us,
    updatedAtUs: row.updated_at_us,
  };
}

/**
 * Copies the bytes of a write into buffers of their own: a message to another thread carries the whole buffer under a
 * view, and bytes from the network are views of a much larger buffer.
 */
function withOwnBytes(write: SessionWrite): SessionWrite {
  return write.ops.some(hasShared) ? { ...write, ops: write.ops.map(owning) } : write;
}

function hasShared(op: SessionOp): boolean {
  if (op.kind === 'set') return isShared(op.content);
  return op.kind === 'append' && op.contents.some(isShared);
}

function owning(op: SessionOp): SessionOp {
  if (op.kind === 'set') return { ...op, content: owned(op.content) };
  return op.kind === 'append' ? { ...op, contents: op.contents.map(owned) } : op;
}

function isShared({ data }: Content): boolean {
  return data.byteLength !== data.buffer.byteLength;
}

function owned(content: Content): Content {
  return isShared(content) ? { ...content, data: new Uint8Array(content.data) } : content;
}
