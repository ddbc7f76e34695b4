import { type RawBuilder, sql } from '#kysely';
import type { Micros } from '../../../memory/memory.ts';
import type { SessionRecord } from '../../../memory/session.ts';
import {
  emptySession,
  type LoadedNote,
  type LoadedSession,
  loadedNote,
  type Reading,
  type Wanted,
} from '../../sessions/loaded-session.ts';
import type { Session } from '../database.ts';
import { checkpointOfRow, entryOfRow, type HeadRow, headOfRow, noteOfRow, recordOf } from './session-rows.ts';
import type {
  SessionCheckpointTable,
  SessionEntryTable,
  SessionManifestTable,
  SessionNoteTable,
  SessionPackTable,
  SessionTable,
} from './session-schema.ts';

/** A session that this transaction has locked. */
export interface StoredSession extends LoadedSession {
  /** Absent where there is no session of the name. */
  readonly key: number | undefined;
}

interface Loading extends Omit<StoredSession, 'key' | 'record' | 'notes'> {
  key: number | undefined;
  record: SessionRecord | undefined;
  readonly notes: LoadedNote[];
}

/** Notes that are read to find the oldest. */
const FIRST_NOTES = 64;
/** Parts that are known with a part. */
const IMPLIED: Readonly<Partial<Record<Wanted, readonly Wanted[]>>> = {
  A: ['K', 'X'],
  K: ['X'],
  N: ['Q', 'F'],
  Q: ['F'],
};

/**
 * Locks sessions until the end of the transaction, in the order of their ids, and reads what the writes need of them.
 * The statements are sent together: PostgreSQL runs the reads when it has the locks.
 */
export async function loadSessions(
  session: Session,
  namespace: string,
  readings: ReadonlyMap<string, Reading>,
  atUs: Micros,
): Promise<Map<string, StoredSession>> {
  const found = new Map<string, Loading>();
  for (const [id, { what, checkpoints }] of readings) {
    const has = new Set([...what].flatMap((each) => [each, ...(IMPLIED[each] ?? [])]));
    const packsOf = new Set(what.has('P') ? checkpoints : []);
    found.set(id, { ...emptySession(), key: undefined, notes: [], has, packsOf });
  }
  const read = async <R>(query: RawBuilder<R & Of> | undefined, put: (into: Loading, row: R) => void) => {
    if (!query) return;
    for (const row of await session.run(query)) {
      const into = found.get(row.session);
      if (into) put(into, row);
    }
  };
  const wants = wantsOf(namespace, readings);
  await Promise.all([
    read(lock(namespace, [...readings.keys()]), (into, row) => {
      into.key = row.key;
      into.record = recordOf(row);
    }),
    ...entriesFor(wants, read, atUs),
    ...notesFor(wants, read),
    ...checkpointsFor(wants, read),
  ]);
  return new Map(
    [...found].map(([id, each]) => [id, each.key === undefined ? noSession() : asRead(each, readings.get(id))]),
  );
}

export function noSession(): StoredSession {
  return { ...emptySession(), key: undefined };
}

/** Marks as missing what was looked for and not found. */
function asRead(found: Loading, reading: Reading | undefined): StoredSession {
  for (const key of [...(reading?.keys ?? []), ...(reading?.values ?? [])]) {
    if (!found.entries.has(key)) found.entries.set(key, undefined);
  }
  for (const id of reading?.checkpoints ?? []) if (!found.manifests.has(id)) found.manifests.set(id, undefined);
  return found;
}

/** The name of the session of a row. */
interface Of {
  readonly session: string;
}
type Read = <R>(query: RawBuilder<R & Of> | undefined, put: (into: Loading, row: R) => void) => Promise<void>;

/** The sessions of which a part is wanted. */
interface Wants {
  readonly namespace: string;
  readonly idsOf: (what: Wanted, unless?: readonly Wanted[]) => string[];
  readonly readings: ReadonlyMap<string, Reading>;
}

function wantsOf(namespace: string, readings: ReadonlyMap<string, Reading>): Wants {
  const idsOf: Wants['idsOf'] = (part, unless = []) =>
    [...readings].flatMap(([id, { what }]) => (what.has(part) && !unless.some((other) => what.has(other)) ? [id] : []));
  return { namespace, idsOf, readings };
}

/** Names of sessions and names in them, in two lists of the same length. */
function pairsOf({ readings }: Wants, namesOf: (reading: Reading) => Iterable<string>): [string[], string[]] {
  const [ids, names]: [string[], string[]] = [[], []];
  for (const [id, reading] of readings) {
    for (const name of namesOf(reading)) {
      ids.push(id);
      names.push(name);
    }
  }
  return [ids, names];
}

function lock(namespace: string, ids: readonly string[]) {
  return sql<Pick<SessionTable, 'key' | 'record'> & Of>`SELECT key, id AS session, record FROM session
    WHERE namespace = ${namespace} AND id = any(${ids}::text[]) ORDER BY id FOR UPDATE`;
}

const HEAD = sql`e.key, e.version, e.content_revision, e.bytes, e.created_at_us, e.updated_at_us, e.expires_at_us`;

type WholeRow = HeadRow & Pick<SessionEntryTable, 'media_type' | 'data'>;

function entriesFor(wants: Wants, read: Read, atUs: Micros): Promise<void>[] {
  const putHead = (into: Loading, row: HeadRow): void => {
    // Heads may come after the whole entry.
    if (!into.entries.get(row.key)?.content) into.entries.set(row.key, headOfRow(row));
  };
  const putWhole = (into: Loading, row: WholeRow): void => void into.entries.set(row.key, entryOfRow(row));
  const [heads, all, expired] = [wants.idsOf('K', ['A']), wants.idsOf('A'), wants.idsOf('X', ['K', 'A'])];
  return [
    read<HeadRow>(
      entriesNamed(wants, HEAD, ({ what, keys }) => (what.has('K') || what.has('A') ? [] : keys)),
      putHead,
    ),
    read<WholeRow>(
      entriesNamed(wants, sql`${HEAD}, e.media_type, e.data`, ({ what, values }) => (what.has('A') ? [] : values)),
      putWhole,
    ),
    read<HeadRow>(heads.length === 0 ? undefined : entriesIn(wants, HEAD, heads), putHead),
    read<WholeRow>(all.length === 0 ? undefined : entriesIn(wants, sql`${HEAD}, e.media_type, e.data`, all), putWhole),
    read<HeadRow>(
      expired.length === 0 ? undefined : sql`${entriesIn(wants, HEAD, expired)} AND e.expires_at_us <= ${atUs}`,
      putHead,
    ),
  ];
}

function entriesNamed<R>(
  wants: Wants,
  columns: RawBuilder<unknown>,
  namesOf: (reading: Reading) => Iterable<string>,
): RawBuilder<R & Of> | undefined {
  const [ids, keys] = pairsOf(wants, namesOf);
  if (ids.length === 0) return undefined;
  return sql`SELECT s.id AS session, ${columns} FROM unnest(${ids}::text[], ${keys}::text[]) AS w(id, key)
    JOIN session s ON s.namespace = ${wants.namespace} AND s.id = w.id
    JOIN session_entry e ON e.session_key = s.key AND e.key = w.key`;
}

function entriesIn<R>(wants: Wants, columns: RawBuilder<unknown>, ids: readonly string[]): RawBuilder<R & Of> {
  return sql`SELECT s.id AS session, ${columns} FROM session s JOIN session_entry e ON e.session_key = s.key
    WHERE s.namespace = ${wants.namespace} AND s.id = any(${ids}::text[])`;
}

interface NoteHeadRow {
  readonly sequence: number;
  readonly bytes: number;
}

function notesFor(wants: Wants, read: Read): Promise<void>[] {
  const { namespace } = wants;
  const [first, heads, all] = [wants.idsOf('F', ['Q', 'N']), wants.idsOf('Q', ['N']), wants.idsOf('N')];
  const putHead = (into: Loading, { sequence, bytes }: NoteHeadRow): void => void into.notes.push({ sequence, bytes });
  return [
    read<NoteHeadRow>(
      first.length === 0
        ? undefined
        : sql`SELECT s.id AS session, n.sequence, octet_length(n.data) AS bytes FROM session s
            CROSS JOIN LATERAL (SELECT sequence, data FROM session_note WHERE session_key = s.key
              ORDER BY sequence LIMIT ${FIRST_NOTES}) n
            WHERE s.namespace = ${namespace} AND s.id = any(${first}::text[]) ORDER BY n.sequence`,
      putHead,
    ),
    read<NoteHeadRow>(
      heads.length === 0
        ? undefined
        : sql`SELECT s.id AS session, n.sequence, octet_length(n.data) AS bytes
            FROM session s JOIN session_note n ON n.session_key = s.key
            WHERE s.namespace = ${namespace} AND s.id = any(${heads}::text[]) ORDER BY n.sequence`,
      putHead,
    ),
    read<Omit<SessionNoteTable, 'session_key'>>(
      all.length === 0
        ? undefined
        : sql`SELECT s.id AS session, n.sequence, n.at_us, n.media_type, n.data
            FROM session s JOIN session_note n ON n.session_key = s.key
            WHERE s.namespace = ${namespace} AND s.id = any(${all}::text[]) ORDER BY n.sequence`,
      (into, row) => void into.notes.push(loadedNote(noteOfRow(row))),
    ),
  ];
}

function checkpointsFor(wants: Wants, read: Read): Promise<void>[] {
  const { namespace } = wants;
  const [all, heads] = [wants.idsOf('C'), wants.idsOf('H')];
  const [named, checkpoints] = pairsOf(wants, (reading) => reading.checkpoints);
  const [packed, inPacks] = pairsOf(wants, ({ what, checkpoints: ids }) => (what.has('P') ? ids : []));
  const putManifest = (into: Loading, { id, data }: Pick<SessionManifestTable, 'id' | 'data'>): void =>
    void into.manifests.set(id, data);
  return [
    read<Pick<SessionCheckpointTable, 'id' | 'body'>>(
      all.length === 0
        ? undefined
        : sql`SELECT s.id AS session, c.id, c.body FROM session s JOIN session_checkpoint c ON c.session_key = s.key
            WHERE s.namespace = ${namespace} AND s.id = any(${all}::text[]) ORDER BY c.id`,
      (into, row) => void into.checkpoints.set(row.id, checkpointOfRow(row)),
    ),
    read<Pick<SessionManifestTable, 'id' | 'data'>>(
      heads.length === 0
        ? undefined
        : sql`SELECT s.id AS session, m.id, m.data
            FROM session s JOIN session_manifest m ON m.session_key = s.key AND m.id = s.head_checkpoint
            WHERE s.namespace = ${namespace} AND s.id = any(${heads}::text[])`,
      putManifest,
    ),
    read<Pick<SessionManifestTable, 'id' | 'data'>>(
      named.length === 0
        ? undefined
        : sql`SELECT s.id AS session, m.id, m.data FROM unnest(${named}::text[], ${checkpoints}::text[]) AS w(id, checkpoint)
            JOIN session s ON s.namespace = ${namespace} AND s.id = w.id
            JOIN session_manifest m ON m.session_key = s.key AND m.id = w.checkpoint`,
      putManifest,
    ),
    read<Pick<SessionPackTable, 'number' | 'data'>>(
      packed.length === 0
        ? undefined
        : sql`SELECT DISTINCT ON (s.id, p.number) s.id AS session, p.number, p.data
            FROM unnest(${packed}::text[], ${inPacks}::text[]) AS w(id, checkpoint)
            JOIN session s ON s.namespace = ${namespace} AND s.id = w.id
            JOIN session_checkpoint c ON c.session_key = s.key AND c.id = w.checkpoint
            JOIN session_pack p ON p.session_key = s.key AND p.number = any(c.packs)`,
      (into, { number, data }) => void into.packs.set(number, data),
    ),
  ];
}
