import { sql } from '#kysely';
import { changedWebhook } from '../../../memory/webhook.ts';
import {
  SUBSCRIPTIONS_MAX,
  type SubscriptionOutcome,
  type SubscriptionWrite,
  subscriptionExists,
  subscriptionNotFound,
  tooManySubscriptions,
  webhookMissing,
} from '../../subscription-store.ts';
import type { Changes } from '../changes.ts';
import { prepared, queries, type SqliteDatabase } from '../database.ts';
import type { SubscriptionTable } from '../schema.ts';
import { findSubscription, modeNumber, subscriptionFromRow, webhookFrom } from '../subscription-rows.ts';
import type { Commands } from './command.ts';

type NewRow = Omit<SubscriptionTable, 'key'>;

const countIn = prepared((p: { namespace_key: number }) =>
  queries
    .selectFrom('subscription')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('namespace_key', '=', p.namespace_key),
);
const insertRow = prepared((p: NewRow) =>
  queries.insertInto('subscription').values({
    namespace_key: p.namespace_key,
    id: p.id,
    mode: p.mode,
    filter: p.filter,
    scope: p.scope,
    ack_deadline_ms: p.ack_deadline_ms,
    consumer_ttl_ms: p.consumer_ttl_ms,
    include_moved: p.include_moved,
    created_at_us: p.created_at_us,
    start_revision: p.start_revision,
    webhook: p.webhook,
  }),
);
const deleteRow = prepared((p: { key: number }) => queries.deleteFrom('subscription').where('key', '=', p.key));
const setWebhook = prepared((p: { key: number; webhook: string }) =>
  queries.updateTable('subscription').set({ webhook: p.webhook }).where('key', '=', p.key),
);
const deleteCursors = prepared((p: { key: number }) =>
  queries.deleteFrom('subscription_cursor').where('subscription_key', '=', p.key),
);
const keysOf = prepared((p: { namespace_key: number }) =>
  queries.selectFrom('subscription').select('key').where('namespace_key', '=', p.namespace_key),
);
const isThere = prepared((p: { key: number }) =>
  queries.selectFrom('subscription').select('key').where('key', '=', p.key),
);
const moveCursor = prepared((p: { key: number; consumer: string; revision: number; at_us: number }) =>
  queries.replaceInto('subscription_cursor').values({
    subscription_key: p.key,
    consumer: p.consumer,
    acknowledged_revision: p.revision,
    seen_at_us: p.at_us,
  }),
);
/** The cursor of a work queue lives as long as the queue. */
const forgetUnseen = prepared(
  (p: { at_us: number }) => sql`DELETE FROM subscription_cursor WHERE consumer <> '' AND seen_at_us <
    ${p.at_us} - 1000 * (SELECT consumer_ttl_ms FROM subscription WHERE key = subscription_key)`,
);

export function createSubscription(changes: Changes, write: SubscriptionWrite): SubscriptionOutcome {
  const { database } = changes;
  const { namespace, id } = write;
  const { key: namespaceKey } = changes.namespace(namespace);
  if (findSubscription(database, namespaceKey, id)) throw subscriptionExists(namespace, id);
  if ((countIn(database).get({ namespace_key: namespaceKey })?.count ?? 0) >= SUBSCRIPTIONS_MAX) {
    throw tooManySubscriptions(namespace);
  }
  insertRow(database).run({
    namespace_key: namespaceKey,
    id,
    mode: modeNumber(write.mode),
    filter: write.filter ? JSON.stringify({ filter: write.filter, filterAsGiven: write.filterAsGiven }) : '',
    scope: write.scope ? JSON.stringify(write.scope) : '',
    ack_deadline_ms: write.ackDeadlineMs,
    consumer_ttl_ms: write.consumerTtlMs,
    include_moved: write.includeMoved ? 1 : 0,
    created_at_us: write.atUs,
    start_revision: changes.log.revision,
    webhook: write.webhook ? JSON.stringify(write.webhook) : '',
  });
  const row = findSubscription(database, namespaceKey, id);
  if (!row) throw new Error(`subscription ${id} was stored but is not there`);
  return { revision: changes.log.revision, subscription: subscriptionFromRow(database, namespace, row) };
}

export function deleteSubscription(
  changes: Changes,
  { namespace, id }: Commands['deleteSubscription']['write'],
): { revision: number } {
  const row = findSubscription(changes.database, changes.namespace(namespace).key, id);
  if (!row) throw subscriptionNotFound(namespace, id);
  deleteByKey(changes.database, row.key);
  return { revision: changes.log.revision };
}

export function changeWebhook(
  changes: Changes,
  { namespace, id, change }: Commands['changeWebhook']['write'],
): SubscriptionOutcome {
  const { database } = changes;
  const row = findSubscription(database, changes.namespace(namespace).key, id);
  if (!row) throw subscriptionNotFound(namespace, id);
  if (row.webhook === '') throw webhookMissing(namespace, id);
  const webhook = JSON.stringify(changedWebhook(webhookFrom(row.webhook), change));
  setWebhook(database).run({ key: row.key, webhook });
  return {
    revision: changes.log.revision,
    subscription: subscriptionFromRow(database, namespace, { ...row, webhook }),
  };
}

/** Deletes the subscriptions of a deleted namespace. */
export function deleteSubscriptionsOf(database: SqliteDatabase, namespaceKey: number): void {
  for (const { key } of keysOf(database).all({ namespace_key: namespaceKey })) deleteByKey(database, key);
}

export function moveCursors({ database }: Changes, { cursors, atUs }: Commands['moveCursors']['write']): undefined {
  for (const { subscriptionKey: key, consumer, acknowledgedRevision: revision } of cursors) {
    if (isThere(database).get({ key })) moveCursor(database).run({ key, consumer, revision, at_us: atUs });
  }
}

export function forgetConsumers({ database }: Changes, { atUs }: Commands['forgetConsumers']['write']): number {
  return forgetUnseen(database).run({ at_us: atUs });
}

function deleteByKey(database: SqliteDatabase, key: number): void {
  deleteCursors(database).run({ key });
  deleteRow(database).run({ key });
}
