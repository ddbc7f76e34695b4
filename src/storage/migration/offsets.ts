import { sql } from '#kysely';
import { queries, type Session } from '../postgres/database.ts';
import { readServerFacts } from '../postgres/server-facts.ts';
import type { LogsOfPostgres } from '../sqlite/backup/manifest.ts';

/** Numbers that are added to those of a namespace, by its name; 0 where it has none. */
export interface Offsets {
  /** To revisions of the change log. */
  readonly revisions: ReadonlyMap<string, number>;
  /** To sequences of lifecycle events. */
  readonly events: ReadonlyMap<string, number>;
}

export const NO_OFFSETS: Offsets = { revisions: new Map(), events: new Map() };

export function offsetsToJson({ revisions, events }: Offsets): string {
  return JSON.stringify({ revisions: [...revisions], events: [...events] });
}

export function offsetsFromJson(json: string): Offsets {
  const { revisions, events } = JSON.parse(json) as { revisions: [string, number][]; events: [string, number][] };
  return { revisions: new Map(revisions), events: new Map(events) };
}

/** Numbers that a namespace has used. */
interface Used {
  readonly name: string;
  readonly first: number;
  readonly last: number;
}

/**
 * A data folder has one log for all namespaces, PostgreSQL one for each. Where two namespaces have used the same number,
 * each gets a range of its own: numbers only grow, keep their order, and no number that a caller knows means a later
 * state than before.
 */
export async function offsetsOf(session: Session): Promise<Offsets> {
  const starts = sql`SELECT key AS namespace_key, log_start AS revision FROM namespace`;
  const entries = sql`SELECT namespace_key, revision FROM change_log
      UNION ALL SELECT namespace_key, revision FROM memory WHERE change = 1
      UNION ALL SELECT namespace_key, revision FROM memory_revision`;
  // The least beginning needs no entry as long as no namespace has an offset.
  const used = sql`${entries} UNION ALL ${starts} WHERE log_start > (SELECT min(log_start) FROM namespace)`;
  const ranges = await session.run(
    sql<Used>`SELECT n.name, min(u.revision) AS first, max(u.revision) AS last
      FROM (${entries} UNION ALL ${starts} WHERE log_start > 0) u
      JOIN namespace n ON n.key = u.namespace_key GROUP BY n.name ORDER BY first, n.name`,
  );
  const twice = await session.run(
    sql`SELECT 1 FROM (SELECT DISTINCT u.namespace_key, u.revision FROM (${used}) u
        JOIN namespace n ON n.key = u.namespace_key) d GROUP BY revision HAVING count(*) > 1 LIMIT 1`,
  );
  const events = await session.run(
    sql<Used>`SELECT namespace AS name, min(sequence) AS first, max(sequence) AS last FROM lifecycle_event
      GROUP BY namespace ORDER BY first, namespace`,
  );
  const eventsTwice = await session.run(
    sql`SELECT 1 FROM lifecycle_event GROUP BY sequence HAVING count(*) > 1 LIMIT 1`,
  );
  return {
    revisions: twice.length === 0 ? new Map() : apart(ranges),
    events: eventsTwice.length === 0 ? new Map() : apart(events),
  };
}

/** Offsets by which no two ranges, in the order of their beginnings, have a number in common. */
export function apart(ranges: readonly Used[]): ReadonlyMap<string, number> {
  let end = 0;
  const offsets = new Map<string, number>();
  for (const { name, first, last } of ranges) {
    const offset = Math.max(0, end + 1 - first);
    if (offset > 0) offsets.set(name, offset);
    end = last + offset;
  }
  return offsets;
}

/** What a backup says of the logs that it has. */
export async function logsOf(session: Session, { revisions }: Offsets): Promise<LogsOfPostgres> {
  const { identity } = await readServerFacts(session);
  const [meta] = await session.run(queries.selectFrom('meta').select('revision_floor'));
  const rows = await session.run(
    queries.selectFrom('namespace').select(['name', 'key', 'log_revision']).orderBy('key'),
  );
  return {
    identity,
    revisionFloor: meta?.revision_floor ?? 0,
    namespaces: rows.map(({ name, key, log_revision: revision }) => ({
      name,
      key,
      revision,
      offset: revisions.get(name) ?? 0,
    })),
  };
}
