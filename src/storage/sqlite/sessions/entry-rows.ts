import type { Entry, EntryHead } from '../../../memory/session.ts';
import { prepared, queries } from '../prepared.ts';
import type { EntryTable } from './session-schema.ts';

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
