import { sql } from '#kysely';
import { MESSAGE_ID } from '../../../memory/conversation.ts';
import { queries, type Session } from '../database.ts';
import type { SubscriptionCursorTable, SubscriptionRow } from '../schema.ts';

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
