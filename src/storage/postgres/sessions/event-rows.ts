import { type RawBuilder, sql } from '#kysely';
import type { Micros } from '../../../memory/memory.ts';

/** The row of the namespace's ends stays locked until the commit, so that sequences have the order of the commits. */
export function appendEvents(
  namespace: string,
  events: readonly { readonly body: string; readonly atUs: Micros }[],
): RawBuilder<{ newest: number }> {
  const [times, bodies] = [events.map(({ atUs }) => atUs), events.map(({ body }) => body)];
  return sql`WITH ends AS (
      INSERT INTO lifecycle_ends AS e VALUES (${namespace}, ${events.length}::bigint, 0)
      ON CONFLICT (namespace) DO UPDATE SET newest = e.newest + ${events.length}::bigint RETURNING newest),
    added AS (
      INSERT INTO lifecycle_event
      SELECT ${namespace}, ends.newest - ${events.length}::bigint + v.number, v.at_us, v.body
      FROM ends CROSS JOIN unnest(${times}::bigint[], ${bodies}::text[]) WITH ORDINALITY AS v(at_us, body, number))
    SELECT newest FROM ends`;
}
