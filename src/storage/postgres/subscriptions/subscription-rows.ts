import { sql } from '#kysely';
import { MESSAGE_ID } from '../../../memory/conversation.ts';
import type { CursorMove } from '../../subscription-store.ts';
import { type Query, queries, type Session } from '../database.ts';
import type { SubscriptionCursorTable, SubscriptionRow } from '../schema.ts';
import { lockSubscriptions } from './work-claims.ts';

export async function subscriptionById(
  session: Session,
  namespaceKey: number,
  id: string,
): Promise<SubscriptionRow | undefined> {
  const [row] = await session.run(subscriptionsOf(namespaceKey).where('id', '=', id));
  return row;
}

/** Whether a memory of the namespace has an id that messages have. Reads the ids alone, until the first one. */
export async function hasMessageId(session: Session, namespaceKey: number): Promise<boolean> {
  const ids = queries.selectFrom('memory').select('id').where('namespace_key', '=', namespaceKey);
  const found = await session.run(ids.where(sql<boolean>`id ~ ${MESSAGE_ID.source}::text`).limit(1));
  return found.length > 0;
}

/** By id. */
export function subscriptionsIn(session: Session, namespaceKey: number): Promise<SubscriptionRow[]> {
  return session.run(subscriptionsOf(namespaceKey).orderBy('id'));
}

/** Subscriptions of all namespaces that have a webhook, with the names of the namespaces. */
export function rowsWithWebhook(session: Session): Promise<(SubscriptionRow & { readonly name: string })[]> {
  return session.run(
    queries
      .selectFrom('subscription as s')
      .innerJoin('namespace as n', 'n.key', 's.namespace_key')
      .selectAll('s')
      .select('n.name')
      .where('s.has_webhook', '=', true)
      .orderBy('s.key'),
  );
}

function subscriptionsOf(namespaceKey: number) {
  return queries.selectFrom('subscription').selectAll().where('namespace_key', '=', namespaceKey);
}

/** Cursors of the subscriptions of a namespace, or of one of them, by consumer. */
export function cursorsIn(session: Session, namespaceKey: number, id?: string): Promise<SubscriptionCursorTable[]> {
  return session.run(
    queries
      .selectFrom('subscription_cursor as c')
      .innerJoin('subscription as s', 's.key', 'c.subscription_key')
      .selectAll('c')
      .where('s.namespace_key', '=', namespaceKey)
      .$if(id !== undefined, (all) => all.where('s.id', '=', id ?? ''))
      .orderBy('c.consumer'),
  );
}

/** The namespace of a subscription; `undefined` where either was deleted. */
export async function namespaceOfSubscription(
  session: Session,
  key: number,
): Promise<{ readonly name: string; readonly key: number } | undefined> {
  const [row] = await session.run(
    queries
      .selectFrom('subscription as s')
      .innerJoin('namespace as n', 'n.key', 's.namespace_key')
      .select(['n.name', 'n.key'])
      .where('s.key', '=', key),
  );
  return row;
}

/** A move to a revision of the log that all servers share. */
export interface PlacedMove extends Required<Omit<CursorMove, 'acknowledgedRevision'>> {
  readonly revision: number;
}

/** Stores positions, and what is acknowledged beyond them. Moves of deleted subscriptions are skipped. */
export async function moveAll(session: Session, moves: readonly PlacedMove[], atUs: number): Promise<void> {
  const keys = [...new Set(moves.map(({ subscriptionKey }) => subscriptionKey))];
  const locked = await session.run(lockSubscriptions(keys));
  const there = new Set(locked.map(({ key }) => key));
  const last = new Map(moves.map((move) => [`${move.subscriptionKey} ${move.consumer}`, move]));
  const present = [...last.values()].filter(({ subscriptionKey }) => there.has(subscriptionKey));
  if (present.length === 0) return;
  const rewinds = present.filter(({ isRewind }) => isRewind);
  const done = present
    .filter(({ isRewind }) => !isRewind)
    .flatMap((move) => move.done.map((revision) => ({ key: move.subscriptionKey, revision })));
  await session.runAll([
    ...(rewinds.length > 0 ? rewinding(rewinds) : []),
    moving(present, atUs),
    ...(done.length > 0 ? [marking(done)] : []),
    sql`DELETE FROM subscription_work w USING subscription_cursor c WHERE w.subscription_key = ANY(${keys}::bigint[])
      AND c.subscription_key = w.subscription_key AND c.consumer = '' AND w.revision <= c.revision`,
  ]);
}

/** Removes what lies after the position: its changes are delivered again. */
function rewinding(moves: readonly PlacedMove[]): Query<unknown>[] {
  const keys = moves.map(({ subscriptionKey }) => subscriptionKey);
  return [
    sql`DELETE FROM subscription_cursor c USING unnest(${keys}::bigint[], ${moves.map(({ consumer }) => consumer)}::text[])
      AS moved(key, consumer) WHERE c.subscription_key = moved.key AND c.consumer = moved.consumer`,
    sql`DELETE FROM subscription_work WHERE subscription_key = ANY(${keys}::bigint[])`,
  ];
}

/** A position that another server has stored meanwhile stays where it is later. */
function moving(moves: readonly PlacedMove[], atUs: number): Query<unknown> {
  const keys = moves.map(({ subscriptionKey }) => subscriptionKey);
  const consumers = moves.map(({ consumer }) => consumer);
  const revisions = moves.map(({ revision }) => revision);
  return sql`INSERT INTO subscription_cursor AS c (subscription_key, consumer, revision, seen_at_us)
    SELECT key, consumer, revision, ${atUs}
    FROM unnest(${keys}::bigint[], ${consumers}::text[], ${revisions}::bigint[]) AS moved(key, consumer, revision)
    ORDER BY key, consumer
    ON CONFLICT (subscription_key, consumer) DO UPDATE SET revision = greatest(c.revision, excluded.revision),
      seen_at_us = greatest(c.seen_at_us, excluded.seen_at_us)`;
}

function marking(done: readonly { readonly key: number; readonly revision: number }[]): Query<unknown> {
  const keys = done.map(({ key }) => key);
  const revisions = done.map(({ revision }) => revision);
  return sql`INSERT INTO subscription_work (subscription_key, revision, owner, ends_at)
    SELECT DISTINCT key, revision, NULL, 'infinity'::timestamptz
    FROM unnest(${keys}::bigint[], ${revisions}::bigint[]) AS done(key, revision)
    ON CONFLICT (subscription_key, revision) DO UPDATE SET owner = NULL, ends_at = excluded.ends_at`;
}

/** Deletes consumers of broadcasts without contact; one that moves now has contact. Returns their number. */
export async function forgetUnseen(session: Session, atUs: number): Promise<number> {
  const rows = await session.run(sql`WITH unseen AS (
      SELECT c.ctid FROM subscription_cursor c JOIN subscription s ON s.key = c.subscription_key
      WHERE c.consumer <> '' AND c.seen_at_us < ${atUs}::bigint - s.consumer_ttl_ms * 1000
      FOR UPDATE OF c SKIP LOCKED)
    DELETE FROM subscription_cursor WHERE ctid IN (SELECT ctid FROM unseen) RETURNING 1`);
  return rows.length;
}
