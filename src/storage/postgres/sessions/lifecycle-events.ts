import { type RawBuilder, sql } from '#kysely';
import type { Micros } from '../../../memory/memory.ts';
import { currentFence } from '../../job-fence.ts';
import {
  consumersFull,
  EventBell,
  eventsForgotten,
  type LifecycleEvents,
  type StoredEvent,
} from '../../lifecycle-events.ts';
import { type PostgresDatabase, type Query, queries } from '../database.ts';
import { checkFence } from '../fence.ts';
import { sending } from './signals.ts';

type Asked<K extends keyof LifecycleEvents> = Parameters<LifecycleEvents[K]>[0];
interface Ends {
  readonly newest: number;
  readonly forgotten: number;
}

/** Lifecycle events of sessions in PostgreSQL; the transaction of a session's write appends them. */
export class PostgresLifecycleEvents implements LifecycleEvents {
  private readonly database: PostgresDatabase;
  private readonly bell = new EventBell();

  constructor(database: PostgresDatabase) {
    this.database = database;
  }

  async read({ namespace, afterSequence, limit }: Asked<'read'>): Promise<StoredEvent[]> {
    const [[ends], events] = await this.database.readAtOnce<[Ends, StoredEvent]>(
      endsOf(namespace),
      eventsAfter(namespace, afterSequence, limit),
    );
    const forgotten = ends?.forgotten ?? 0;
    if (afterSequence < forgotten) throw eventsForgotten(namespace, forgotten);
    return events;
  }
  async ends(namespace: string): Promise<Ends> {
    const [ends] = await this.database.readInCall((session) => session.run(endsOf(namespace)));
    return ends ?? { newest: 0, forgotten: 0 };
  }
  append({ namespace, body, atUs }: Asked<'append'>): Promise<number> {
    return this.database.transaction(async (session) => {
      const [[appended]] = await Promise.all([
        session.run(appendEvents(namespace, [{ body, atUs }])),
        session.run(sending([{ kind: 'events', namespace }])),
      ]);
      return appended?.newest ?? 0;
    });
  }
  async acknowledge(write: Asked<'acknowledge'>): Promise<number> {
    const [known] = await this.database.read((session) => session.run(advance(write)));
    return known?.sequence ?? this.enrol(write);
  }
  async acknowledged({ namespace, consumer }: Asked<'acknowledged'>): Promise<number | undefined> {
    const [found] = await this.database.readInCall((session) =>
      session.run(
        queries
          .selectFrom('lifecycle_consumer')
          .select('sequence')
          .where('namespace', '=', namespace)
          .where('consumer', '=', consumer),
      ),
    );
    return found?.sequence;
  }
  /** In each namespace, all events up to the newest expired one: a clock that went back leaves no gaps. */
  async erase({ beforeUs, limit }: Asked<'erase'>): Promise<number> {
    const fence = currentFence();
    const [erased] = await this.database.transaction(async (session) => {
      await checkFence(session, fence);
      return session.run(eraseBefore(beforeUs, limit));
    });
    return erased?.count ?? 0;
  }
  async eraseNamespace(namespace: string): Promise<void> {
    await this.database.transaction((session) => session.runAll(erasingEvents(namespace)));
  }
  onEvent(listener: (namespace: string) => void): () => void {
    return this.bell.on(listener);
  }
  announce(namespace: string): void {
    this.bell.ring(namespace);
  }

  /** A first acknowledgement: those of a namespace are counted one after another. */
  private enrol(write: Asked<'acknowledge'>): Promise<number> {
    const { namespace, consumer, sequence, consumersMax, atUs } = write;
    return this.database.transaction(async (session) => {
      await session.run(
        sql`SELECT pg_advisory_xact_lock(hashtextextended(current_schema() || '/consumers/' || ${namespace}, 0))`,
      );
      const [known] = await session.run(advance(write));
      if (known) return known.sequence;
      const [enrolled] = await session.run(sql<{ sequence: number }>`INSERT INTO lifecycle_consumer
        SELECT ${namespace}, ${consumer}, ${sequence}::bigint, ${atUs}::bigint
        WHERE (SELECT count(*) FROM lifecycle_consumer WHERE namespace = ${namespace}) < ${consumersMax}
        RETURNING sequence`);
      if (!enrolled) throw consumersFull(namespace, consumersMax);
      return enrolled.sequence;
    });
  }
}

function endsOf(namespace: string) {
  return queries.selectFrom('lifecycle_ends').select(['newest', 'forgotten']).where('namespace', '=', namespace);
}

function eventsAfter(namespace: string, sequence: number, limit: number) {
  return queries
    .selectFrom('lifecycle_event')
    .select(['sequence', 'body'])
    .where('namespace', '=', namespace)
    .where('sequence', '>', sequence)
    .orderBy('sequence')
    .limit(limit);
}

/** Nothing where the consumer is unknown. */
function advance({ namespace, consumer, sequence, atUs }: Asked<'acknowledge'>) {
  return queries
    .updateTable('lifecycle_consumer')
    .set({ sequence: sql<number>`greatest(sequence, ${sequence}::bigint)`, updated_at_us: atUs })
    .where('namespace', '=', namespace)
    .where('consumer', '=', consumer)
    .returning('sequence');
}

function eraseBefore(beforeUs: number, limit: number) {
  return sql<{ count: number }>`WITH last AS (
      SELECT namespace, max(sequence) AS sequence FROM (
        SELECT namespace, sequence FROM lifecycle_event WHERE at_us < ${beforeUs} ORDER BY at_us, sequence LIMIT ${limit}
      ) AS due GROUP BY namespace),
    locked AS (
      SELECT e.namespace, last.sequence FROM lifecycle_ends e JOIN last ON last.namespace = e.namespace
      ORDER BY e.namespace FOR UPDATE OF e),
    forgotten AS (
      UPDATE lifecycle_ends e SET forgotten = greatest(e.forgotten, locked.sequence)
      FROM locked WHERE e.namespace = locked.namespace),
    erased AS (
      DELETE FROM lifecycle_event v USING locked
      WHERE v.namespace = locked.namespace AND v.sequence <= locked.sequence RETURNING 1)
    SELECT count(*) AS count FROM erased`;
}

/** Erases the events and consumers of a namespace. */
export function erasingEvents(namespace: string): Query<unknown>[] {
  return (['lifecycle_event', 'lifecycle_ends', 'lifecycle_consumer'] as const).map((table) =>
    queries.deleteFrom(table).where('namespace', '=', namespace),
  );
}

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
