import type { Entry, EntryHead, Note, SessionChangeKind } from '../../../memory/session.ts';
import { prepared, queries } from '../database.ts';
import type { EntryTable, NoteTable } from './session-schema.ts';

const HEAD = [
  'key',
  'version',
  'content_revision',
  'bytes',
  'created_at_us',
  'updated_at_us',
  'expires_at_us',
] as const;
const WHOLE = [...HEAD, 'media_type', 'data'] as const;

export type HeadRow = Pick<EntryTable, (typeof HEAD)[number]>;
export type EntryRow = Pick<EntryTable, (typeof WHOLE)[number]>;

interface Key {
  session_key: number;
  key: string;
}
interface Range {
  session_key: number;
  from: string;
  to: string;
  now_us: number;
  limit: number;
}

const ofKey = (p: Key) =>
  queries.selectFrom('session_entry').where('session_key', '=', p.session_key).where('key', '=', p.key);
const inRange = (p: Range) =>
  queries
    .selectFrom('session_entry')
    .where('session_key', '=', p.session_key)
    .where('key', '>=', p.from)
    .where('key', '<', p.to)
    .where((eb) => eb.or([eb('expires_at_us', 'is', null), eb('expires_at_us', '>', p.now_us)]))
    .orderBy('key')
    .limit(p.limit);

export const headRow = prepared((p: Key) => ofKey(p).select(HEAD));
export const entryRow = prepared((p: Key) => ofKey(p).select(WHOLE));
export const headRows = prepared((p: { session_key: number }) =>
  queries.selectFrom('session_entry').select(HEAD).where('session_key', '=', p.session_key),
);
export const entryRows = prepared((p: { session_key: number }) =>
  queries.selectFrom('session_entry').select(WHOLE).where('session_key', '=', p.session_key),
);
export const headsInRange = prepared((p: Range) => inRange(p).select(HEAD));
export const entriesInRange = prepared((p: Range) => inRange(p).select(WHOLE));
export const expiredRows = prepared((p: { session_key: number; now_us: number; limit: number }) =>
  queries
    .selectFrom('session_entry')
    .select(HEAD)
    .where('session_key', '=', p.session_key)
    .where('expires_at_us', '<=', p.now_us)
    .limit(p.limit),
);
export const expiredTotals = prepared((p: { session_key: number; now_us: number }) =>
  queries
    .selectFrom('session_entry')
    .select((eb) => [eb.fn.countAll<number>().as('count'), eb.fn.sum<number | null>('bytes').as('bytes')])
    .where('session_key', '=', p.session_key)
    .where('expires_at_us', '<=', p.now_us),
);
export const putEntry = prepared((p: Omit<EntryTable, 'pk'>) =>
  queries
    .insertInto('session_entry')
    .values({
      session_key: p.session_key,
      key: p.key,
      version: p.version,
      content_revision: p.content_revision,
      bytes: p.bytes,
      created_at_us: p.created_at_us,
      updated_at_us: p.updated_at_us,
      expires_at_us: p.expires_at_us,
      media_type: p.media_type,
      data: p.data,
    })
    .onConflict((conflict) =>
      conflict.columns(['session_key', 'key']).doUpdateSet((eb) => ({
        version: eb.ref('excluded.version'),
        content_revision: eb.ref('excluded.content_revision'),
        bytes: eb.ref('excluded.bytes'),
        created_at_us: eb.ref('excluded.created_at_us'),
        updated_at_us: eb.ref('excluded.updated_at_us'),
        expires_at_us: eb.ref('excluded.expires_at_us'),
        media_type: eb.ref('excluded.media_type'),
        data: eb.ref('excluded.data'),
      })),
    ),
);
export const retimeEntry = prepared((p: Key & { version: number; expires_at_us: number | null }) =>
  queries
    .updateTable('session_entry')
    .set({ version: p.version, expires_at_us: p.expires_at_us })
    .where('session_key', '=', p.session_key)
    .where('key', '=', p.key),
);
export const deleteEntry = prepared((p: Key) =>
  queries.deleteFrom('session_entry').where('session_key', '=', p.session_key).where('key', '=', p.key),
);
export const deleteEntries = prepared((p: { session_key: number }) =>
  queries.deleteFrom('session_entry').where('session_key', '=', p.session_key),
);

export function headOf(row: HeadRow): EntryHead {
  return {
    key: row.key,
    version: row.version,
    contentRevision: row.content_revision,
    bytes: row.bytes,
    createdAtUs: row.created_at_us,
    updatedAtUs: row.updated_at_us,
    ...(row.expires_at_us === null ? {} : { expiresAtUs: row.expires_at_us }),
  };
}

export function entryOf(row: EntryRow): Entry {
  return { ...headOf(row), content: { mediaType: row.media_type, data: row.data } };
}

const COLUMNS = ['sequence', 'at_us', 'media_type', 'data'] as const;
type NoteRow = Pick<NoteTable, (typeof COLUMNS)[number]>;

interface NoteRange {
  session_key: number;
  from: number;
  to: number;
}

const isNoteInRange = (p: NoteRange) =>
  queries
    .selectFrom('session_note')
    .where('session_key', '=', p.session_key)
    .where('sequence', '>=', p.from)
    .where('sequence', '<=', p.to);

export const notesUp = prepared((p: NoteRange & { limit: number }) =>
  isNoteInRange(p).select(COLUMNS).orderBy('sequence').limit(p.limit),
);
export const notesDown = prepared((p: NoteRange & { limit: number }) =>
  isNoteInRange(p).select(COLUMNS).orderBy('sequence', 'desc').limit(p.limit),
);
export const sequences = prepared((p: { session_key: number }) =>
  queries.selectFrom('session_note').select('sequence').where('session_key', '=', p.session_key).orderBy('sequence'),
);
export const noteTotals = prepared((p: NoteRange) =>
  isNoteInRange(p).select((eb) => [
    eb.fn.countAll<number>().as('count'),
    eb.fn.sum<number | null>(eb.fn('length', ['data'])).as('bytes'),
  ]),
);
export const insertNote = prepared((p: Omit<NoteTable, 'pk'>) =>
  queries.insertInto('session_note').values({
    session_key: p.session_key,
    sequence: p.sequence,
    at_us: p.at_us,
    media_type: p.media_type,
    data: p.data,
  }),
);
export const deleteNotes = prepared((p: NoteRange) =>
  queries
    .deleteFrom('session_note')
    .where('session_key', '=', p.session_key)
    .where('sequence', '>=', p.from)
    .where('sequence', '<=', p.to),
);

export function noteOf({ sequence, at_us, media_type, data }: NoteRow): Note {
  return { sequence, atUs: at_us, content: { mediaType: media_type, data } };
}

interface CheckpointKey {
  session_key: number;
  id: string;
}
interface PackKey {
  session_key: number;
  number: number;
}

export const checkpointRow = prepared((p: CheckpointKey) =>
  queries
    .selectFrom('session_checkpoint')
    .select('body')
    .where('session_key', '=', p.session_key)
    .where('id', '=', p.id),
);
export const checkpointRows = prepared((p: { session_key: number }) =>
  queries.selectFrom('session_checkpoint').select('body').where('session_key', '=', p.session_key),
);
export const checkpointsBefore = prepared(
  (p: { session_key: number; revision: number; now_us: number; limit: number }) =>
    queries
      .selectFrom('session_checkpoint')
      .select('body')
      .where('session_key', '=', p.session_key)
      .where('revision', '<', p.revision)
      .where((eb) => eb.or([eb('expires_at_us', 'is', null), eb('expires_at_us', '>', p.now_us)]))
      .orderBy('revision', 'desc')
      .limit(p.limit),
);
export const putCheckpoint = prepared(
  (p: CheckpointKey & { revision: number; expires_at_us: number | null; body: string }) =>
    queries.replaceInto('session_checkpoint').values({
      session_key: p.session_key,
      id: p.id,
      revision: p.revision,
      expires_at_us: p.expires_at_us,
      body: p.body,
    }),
);
export const deleteCheckpoint = prepared((p: CheckpointKey) =>
  queries.deleteFrom('session_checkpoint').where('session_key', '=', p.session_key).where('id', '=', p.id),
);
export const manifestRow = prepared((p: CheckpointKey) =>
  queries.selectFrom('session_manifest').select('data').where('session_key', '=', p.session_key).where('id', '=', p.id),
);
export const putManifest = prepared((p: CheckpointKey & { data: Uint8Array }) =>
  queries.replaceInto('session_manifest').values({ session_key: p.session_key, id: p.id, data: p.data }),
);
export const deleteManifest = prepared((p: CheckpointKey) =>
  queries.deleteFrom('session_manifest').where('session_key', '=', p.session_key).where('id', '=', p.id),
);
export const packRow = prepared((p: PackKey) =>
  queries
    .selectFrom('session_pack')
    .select('data')
    .where('session_key', '=', p.session_key)
    .where('number', '=', p.number),
);
export const putPack = prepared((p: PackKey & { data: Uint8Array }) =>
  queries.replaceInto('session_pack').values({ session_key: p.session_key, number: p.number, data: p.data }),
);
export const deletePack = prepared((p: PackKey) =>
  queries.deleteFrom('session_pack').where('session_key', '=', p.session_key).where('number', '=', p.number),
);

interface Change {
  session_key: number;
  revision: number;
  part: number;
  kind: SessionChangeKind;
  key: string;
  at_us: number;
}

export const appendChange = prepared((p: Change) =>
  queries.insertInto('session_change').values({
    session_key: p.session_key,
    revision: p.revision,
    part: p.part,
    kind: p.kind,
    key: p.key,
    at_us: p.at_us,
  }),
);
export const changesAfter = prepared((p: { session_key: number; revision: number; limit: number }) =>
  queries
    .selectFrom('session_change')
    .select(['revision', 'part', 'kind', 'key', 'at_us'])
    .where('session_key', '=', p.session_key)
    .where('revision', '>', p.revision)
    .orderBy('revision')
    .orderBy('part')
    .limit(p.limit),
);
/** Remaining changes of one revision. */
export const changesOf = prepared((p: { session_key: number; revision: number; part: number }) =>
  queries
    .selectFrom('session_change')
    .select(['revision', 'part', 'kind', 'key', 'at_us'])
    .where('session_key', '=', p.session_key)
    .where('revision', '=', p.revision)
    .where('part', '>', p.part)
    .orderBy('part'),
);
export const dropChanges = prepared((p: { session_key: number; revision: number }) =>
  queries.deleteFrom('session_change').where('session_key', '=', p.session_key).where('revision', '<=', p.revision),
);
