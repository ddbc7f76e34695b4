import type { Note } from '../../../memory/session.ts';
import { prepared, queries } from '../prepared.ts';
import type { NoteTable } from './session-schema.ts';

const COLUMNS = ['sequence', 'at_us', 'media_type', 'data'] as const;
type NoteRow = Pick<NoteTable, (typeof COLUMNS)[number]>;

interface Range {
  session_key: number;
  from: number;
  to: number;
}

const inRange = (p: Range) =>
  queries
    .selectFrom('session_note')
    .where('session_key', '=', p.session_key)
    .where('sequence', '>=', p.from)
    .where('sequence', '<=', p.to);

export const notesUp = prepared((p: Range & { limit: number }) =>
  inRange(p).select(COLUMNS).orderBy('sequence').limit(p.limit),
);
export const notesDown = prepared((p: Range & { limit: number }) =>
  inRange(p).select(COLUMNS).orderBy('sequence', 'desc').limit(p.limit),
);
export const sequences = prepared((p: { session_key: number }) =>
  queries.selectFrom('session_note').select('sequence').where('session_key', '=', p.session_key).orderBy('sequence'),
);
export const noteTotals = prepared((p: Range) =>
  inRange(p).select((eb) => [
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
export const deleteNotes = prepared((p: Range) =>
  queries
    .deleteFrom('session_note')
    .where('session_key', '=', p.session_key)
    .where('sequence', '>=', p.from)
    .where('sequence', '<=', p.to),
);

export function noteOf({ sequence, at_us, media_type, data }: NoteRow): Note {
  return { sequence, atUs: at_us, content: { mediaType: media_type, data } };
}
