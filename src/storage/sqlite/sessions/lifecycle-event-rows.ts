import { sql } from '#kysely';
import type { Micros } from '../../../memory/memory.ts';
import { consumersFull, eventsForgotten, type LifecycleEvents, type StoredEvent } from '../../lifecycle-events.ts';
import { prepared, type SqliteDatabase } from '../database.ts';

type Asked<K extends keyof LifecycleEvents> = Parameters<LifecycleEvents[K]>[0];
interface Ends {
  readonly newest: number;
  readonly forgotten: number;
}

const insertEvent = prepared(
  (p: { namespace: string; at_us: number; body: string }) =>
    sql<{
      sequence: number;
    }>`INSERT INTO lifecycle_event(namespace, at_us, body) VALUES (${p.namespace}, ${p.at_us}, ${p.body}) RETURNING sequence`,
);
const setNewest = prepared(
  (p: { namespace: string; newest: number }) =>
    sql`INSERT INTO lifecycle_ends VALUES (${p.namespace}, ${p.newest}, 0)
      ON CONFLICT DO UPDATE SET newest = excluded.newest`,
);
const setForgotten = prepared(
  (p: { namespace: string; forgotten: number }) =>
    sql`UPDATE lifecycle_ends SET forgotten = max(forgotten, ${p.forgotten}) WHERE namespace = ${p.namespace}`,
);
const readEnds = prepared(
  (p: { namespace: string }) =>
    sql<Ends>`SELECT newest, forgotten FROM lifecycle_ends WHERE namespace = ${p.namespace}`,
);
const readAfter = prepared(
  (p: { namespace: string; after: number; limit: number }) =>
    sql<StoredEvent>`SELECT sequence, body FROM lifecycle_event
      WHERE namespace = ${p.namespace} AND sequence > ${p.after} ORDER BY sequence LIMIT ${p.limit}`,
);
const readOld = prepared(
  (p: { before: number; limit: number }) =>
    sql<{ sequence: number; namespace: string }>`SELECT sequence, namespace FROM lifecycle_event
      WHERE at_us < ${p.before} ORDER BY at_us, sequence LIMIT ${p.limit}`,
);
const eraseUpTo = prepared(
  (p: { namespace: string; upTo: number }) =>
    sql`DELETE FROM lifecycle_event WHERE namespace = ${p.namespace} AND sequence <= ${p.upTo}`,
);
const readConsumer = prepared(
  (p: { namespace: string; consumer: string }) =>
    sql<{ sequence: number }>`SELECT sequence FROM lifecycle_consumer
      WHERE namespace = ${p.namespace} AND consumer = ${p.consumer}`,
);
const countConsumers = prepared(
  (p: { namespace: string }) =>
    sql<{ count: number }>`SELECT count(*) AS count FROM lifecycle_consumer WHERE namespace = ${p.namespace}`,
);
const setConsumer = prepared(
  (p: { namespace: string; consumer: string; sequence: number; at_us: number }) =>
    sql`INSERT INTO lifecycle_consumer VALUES (${p.namespace}, ${p.consumer}, ${p.sequence}, ${p.at_us})
      ON CONFLICT DO UPDATE SET sequence = excluded.sequence, updated_at_us = excluded.updated_at_us`,
);
const eraseEvents = prepared(
  (p: { namespace: string }) => sql`DELETE FROM lifecycle_event WHERE namespace = ${p.namespace}`,
);
const eraseEnds = prepared(
  (p: { namespace: string }) => sql`DELETE FROM lifecycle_ends WHERE namespace = ${p.namespace}`,
);
const eraseConsumers = prepared(
  (p: { namespace: string }) => sql`DELETE FROM lifecycle_consumer WHERE namespace = ${p.namespace}`,
);

/** Appends an event inside the open transaction; returns its sequence. */
export function appendLifecycleEvent(
  database: SqliteDatabase,
  { namespace, body, atUs }: { namespace: string; body: string; atUs: Micros },
): number {
  const sequence = insertEvent(database).get({ namespace, at_us: atUs, body })?.sequence ?? 0;
  setNewest(database).run({ namespace, newest: sequence });
  return sequence;
}

export function readLifecycleEvents(
  database: SqliteDatabase,
  { namespace, afterSequence, limit }: Asked<'read'>,
): StoredEvent[] {
  const { forgotten } = lifecycleEnds(database, namespace);
  if (afterSequence < forgotten) throw eventsForgotten(namespace, forgotten);
  return readAfter(database).all({ namespace, after: afterSequence, limit });
}

export function lifecycleEnds(database: SqliteDatabase, namespace: string): Ends {
  return readEnds(database).get({ namespace }) ?? { newest: 0, forgotten: 0 };
}

export function lifecycleAcknowledged(
  database: SqliteDatabase,
  { namespace, consumer }: Asked<'acknowledged'>,
): number | undefined {
  return readConsumer(database).get({ namespace, consumer })?.sequence;
}

export function acknowledgeLifecycle(
  database: SqliteDatabase,
  { namespace, consumer, sequence, consumersMax, atUs }: Asked<'acknowledge'>,
): number {
  const known = lifecycleAcknowledged(database, { namespace, consumer });
  if (known === undefined && (countConsumers(database).get({ namespace })?.count ?? 0) >= consumersMax) {
    throw consumersFull(namespace, consumersMax);
  }
  const now = Math.max(known ?? 0, sequence);
  setConsumer(database).run({ namespace, consumer, sequence: now, at_us: atUs });
  return now;
}

/** In each namespace, all events up to the newest expired one: a clock that went back leaves no gaps. */
export function eraseLifecycleEvents(database: SqliteDatabase, { beforeUs, limit }: Asked<'erase'>): number {
  const newestDue = new Map<string, number>();
  for (const { namespace, sequence } of readOld(database).all({ before: beforeUs, limit })) {
    newestDue.set(namespace, Math.max(sequence, newestDue.get(namespace) ?? 0));
  }
  let count = 0;
  for (const [namespace, upTo] of newestDue) {
    setForgotten(database).run({ namespace, forgotten: upTo });
    count += eraseUpTo(database).run({ namespace, upTo });
  }
  return count;
}

/** Runs inside the open transaction. */
export function eraseLifecycleOf(database: SqliteDatabase, namespace: string): undefined {
  eraseEvents(database).run({ namespace });
  eraseEnds(database).run({ namespace });
  eraseConsumers(database).run({ namespace });
}
