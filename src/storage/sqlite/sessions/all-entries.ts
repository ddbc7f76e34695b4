import { sql } from '#kysely';
import type { Micros } from '../../../memory/memory.ts';
import type { Entry } from '../../../memory/session.ts';
import type { SqliteDatabase } from '../database.ts';
import { prepared, queries } from '../prepared.ts';

type HeadTuple = [string, number, number, number, Micros, Micros, Micros | null, string, number];

/** Both columns are gathered from the same rows in the same order, whichever that is. SQLite joins bytes as they are. */
const allInOne = prepared((p: { session_key: number }) =>
  queries
    .selectFrom('session_entry')
    .select([
      sql<string>`json_group_array(json_array(key, version, content_revision, bytes, created_at_us, updated_at_us,
        expires_at_us, media_type, length(data)))`.as('heads'),
      sql<Uint8Array | null>`cast(group_concat(data, '') AS BLOB)`.as('data'),
    ])
    .where('session_key', '=', p.session_key),
);

/**
 * All values of a session, expired ones too. Their bytes are views of one buffer: making one for each would take longer
 * than reading the rows.
 */
export function allEntries(database: SqliteDatabase, session_key: number): Entry[] {
  const row = allInOne(database).get({ session_key });
  if (!row?.data) return [];
  const { data } = row;
  let at = 0;
  return (JSON.parse(row.heads) as HeadTuple[]).map(
    ([key, version, contentRevision, bytes, createdAtUs, updatedAtUs, expiresAtUs, mediaType, length]) => {
      const head = { key, version, contentRevision, bytes, createdAtUs, updatedAtUs };
      const content = { mediaType, data: data.subarray(at, at + length) };
      at += length;
      return expiresAtUs === null ? { ...head, content } : { ...head, expiresAtUs, content };
    },
  );
}
