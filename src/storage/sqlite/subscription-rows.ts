import { sql } from '#kysely';
import type { Filter } from '../../memory/filter.ts';
import { parseJson } from '../../memory/json.ts';
import type { Scope } from '../../memory/memory.ts';
import type { Webhook } from '../../memory/webhook.ts';
import {
  type DeliveryMode,
  type ListedWebhook,
  type Subscription,
  subscriptionNotFound,
} from '../subscription-store.ts';
import { prepared, queries, type SqliteDatabase } from './database.ts';
import { namespaceOf } from './namespace-rows.ts';
import type { SubscriptionTable } from './schema.ts';

export type SubscriptionRow = Omit<SubscriptionTable, 'key'> & { readonly key: number };

const MODES: readonly DeliveryMode[] = ['broadcast', 'work_queue'];

const byId = prepared((p: { namespace_key: number; id: string }) =>
  queries.selectFrom('subscription').selectAll().where('namespace_key', '=', p.namespace_key).where('id', '=', p.id),
);
const inNamespace = prepared((p: { namespace_key: number }) =>
  queries.selectFrom('subscription').selectAll().where('namespace_key', '=', p.namespace_key).orderBy('id'),
);
const cursorsOf = prepared((p: { key: number }) =>
  queries.selectFrom('subscription_cursor').selectAll().where('subscription_key', '=', p.key).orderBy('consumer'),
);
const withWebhook = prepared((_: object) =>
  queries
    .selectFrom('subscription as s')
    .innerJoin('namespace as n', 'n.key', 's.namespace_key')
    .select(['s.key', 's.id', 's.webhook', 'n.name'])
    .where(sql<boolean>`s.webhook <> ''`)
    .orderBy('s.key'),
);

export function modeNumber(mode: DeliveryMode): number {
  return MODES.indexOf(mode) + 1;
}

export function findSubscription(
  database: SqliteDatabase,
  namespaceKey: number,
  id: string,
): SubscriptionRow | undefined {
  return byId(database).get({ namespace_key: namespaceKey, id });
}

/** Fails with NAMESPACE_NOT_FOUND, SUBSCRIPTION_NOT_FOUND. */
export function getSubscription(database: SqliteDatabase, namespace: string, id: string): Subscription {
  const row = findSubscription(database, namespaceOf(database, namespace).key, id);
  if (!row) throw subscriptionNotFound(namespace, id);
  return subscriptionFromRow(database, namespace, row);
}

export function listSubscriptions(database: SqliteDatabase, namespace: string): Subscription[] {
  const rows = inNamespace(database).all({ namespace_key: namespaceOf(database, namespace).key });
  return rows.map((row) => subscriptionFromRow(database, namespace, row));
}

export function listWebhooks(database: SqliteDatabase): ListedWebhook[] {
  const rows = withWebhook(database).all({});
  return rows.map(({ key, id, name: namespace, webhook }) => ({ key, namespace, id, webhook: webhookFrom(webhook) }));
}

/** The column `webhook`, which is not empty. */
export function webhookFrom(column: string): Webhook {
  return parseJson(column) as Webhook;
}

export function subscriptionFromRow(database: SqliteDatabase, namespace: string, row: SubscriptionRow): Subscription {
  return {
    key: row.key,
    namespace,
    id: row.id,
    mode: MODES[row.mode - 1] ?? 'broadcast',
    ...(row.filter === '' ? {} : (parseJson(row.filter) as { filter: Filter; filterAsGiven: string })),
    ...(row.scope === '' ? {} : { scope: JSON.parse(row.scope) as Scope }),
    ...(row.include_moved === 1 && { includeMoved: true }),
    ackDeadlineMs: row.ack_deadline_ms,
    consumerTtlMs: row.consumer_ttl_ms,
    createdAtUs: row.created_at_us,
    startRevision: row.start_revision,
    ...(row.webhook !== '' && { webhook: webhookFrom(row.webhook) }),
    cursors: cursorsOf(database)
      .all({ key: row.key })
      .map(({ consumer, acknowledged_revision: acknowledgedRevision, seen_at_us: seenAtUs }) => {
        return { consumer, acknowledgedRevision, seenAtUs };
      }),
  };
}
