import { isNamespaceMissing } from '../../../memory/errors.ts';
import { parseJson } from '../../../memory/json.ts';
import { changedWebhook, type WebhookChange } from '../../../memory/webhook.ts';
import type { WatchedNamespace } from '../../change-log/change-log.ts';
import { type PlacedLog, revisionHere } from '../../log-places.ts';
import {
  type Cursor,
  type ListedWebhook,
  type SharedNamespaces,
  SUBSCRIPTIONS_MAX,
  type Subscription,
  type SubscriptionOutcome,
  type SubscriptionStore,
  subscriptionExists,
  subscriptionNotFound,
  tooManySubscriptions,
  webhookMissing,
} from '../../subscription-store.ts';
import type { PostgresAccess } from '../core.ts';
import { queries, type Session } from '../database.ts';
import type { LoadedNamespace } from '../loaded-namespace.ts';
import { readNamespace } from '../reads.ts';
import type { SubscriptionCursorTable, SubscriptionRow } from '../schema.ts';
import { BYTES_AROUND } from '../write-bytes.ts';
import {
  cursorsIn,
  forgetUnseen,
  hasMessageId,
  moveAll,
  namespaceOfSubscription,
  type PlacedMove,
  rowsWithWebhook,
  subscriptionById,
  subscriptionsIn,
} from './subscription-rows.ts';
import { PostgresWorkClaims, PostgresWorkLeases } from './work-claims.ts';

export interface PostgresSubscriptionsOptions {
  readonly access: PostgresAccess;
  /** The log of this server's view. `watchedNamespace` first follows the changes of all servers. */
  readonly log: PlacedLog;
  /** Namespaces that any server has changed since the last call. */
  readonly takeChanged: SharedNamespaces['takeChanged'];
}

type Asked<K extends 'createSubscription' | 'deleteSubscription' | 'changeWebhook' | 'moveCursors'> = Parameters<
  SubscriptionStore[K]
>[0];

/** The column `record`. */
type SubscriptionRecord = Omit<Subscription, 'key' | 'namespace' | 'id' | 'startRevision' | 'cursors'>;

/** A subscription in the form of all servers. */
interface Shared extends SubscriptionRecord {
  readonly key: number;
  readonly id: string;
  readonly namespaceKey: number;
  /** Revision in the log of the namespace. */
  readonly start: number;
}

interface Known {
  readonly watched: WatchedNamespace;
  readonly epoch: string;
}

/**
 * Durable subscriptions in PostgreSQL, shared by all servers. A position is a revision of the log of the namespace; each
 * server finds it in the log of its view. A position goes back only where its consumer has asked for it.
 */
export class PostgresSubscriptions implements SubscriptionStore {
  readonly claims: PostgresWorkClaims;
  readonly leases: PostgresWorkLeases;
  readonly shared: SharedNamespaces;
  private readonly access: PostgresAccess;
  private readonly log: PlacedLog;
  /** Namespaces of the subscriptions that this server serves. */
  private readonly known = new Map<number, Known>();

  constructor({ access, log, takeChanged }: PostgresSubscriptionsOptions) {
    this.access = access;
    this.log = log;
    // Each view has a log of its own name, which stays over restarts.
    const owner = async () => (await log.place({ key: 0, name: '' }, 0)).log;
    this.claims = new PostgresWorkClaims({ access, owner });
    this.leases = new PostgresWorkLeases(access);
    const hasAnyOf: SharedNamespaces['hasAnyOf'] = (namespace, id) =>
      access.read(async (session) => {
        const { key } = await readNamespace(session, namespace);
        return (await subscriptionById(session, key, id)) !== undefined || hasMessageId(session, key);
      });
    this.shared = { takeChanged, hasAnyOf };
  }

  async createSubscription(write: Asked<'createSubscription'>): Promise<SubscriptionOutcome> {
    const { namespace, id, atUs, idempotency, ...fields } = write;
    const record: SubscriptionRecord = { ...fields, createdAtUs: atUs };
    const made = await this.access.submit<Shared>(namespace, {
      ...alone(atUs, idempotency),
      run: (_, session, loaded) => insertSubscription(session, loaded, { id, record }),
    });
    const watched = await this.log.watchedNamespace(namespace);
    const subscription = await this.here(watched, made, []);
    return { revision: subscription.startRevision, subscription };
  }

  async deleteSubscription(write: Asked<'deleteSubscription'>): Promise<{ revision: number }> {
    const { namespace, id, atUs, idempotency } = write;
    return this.access.submit(namespace, {
      ...alone(atUs, idempotency),
      run: async (_, session, { row }) => {
        const rows = await session.run(
          queries
            .deleteFrom('subscription')
            .where('namespace_key', '=', row?.key ?? 0)
            .where('id', '=', id)
            .returning('key'),
        );
        if (rows.length === 0) throw subscriptionNotFound(namespace, id);
        return { revision: this.log.revision };
      },
    });
  }

  async changeWebhook(write: Asked<'changeWebhook'>): Promise<SubscriptionOutcome> {
    const { namespace, id, change, atUs, idempotency } = write;
    const changed = await this.access.submit<Shared>(namespace, {
      ...alone(atUs, idempotency),
      run: (_, session, loaded) => updateWebhook(session, loaded, id, change),
    });
    const watched = await this.log.watchedNamespace(namespace);
    const cursors = await this.access.read((session) => cursorsIn(session, changed.namespaceKey, id));
    return { revision: this.log.revision, subscription: await this.here(watched, changed, cursors) };
  }

  async listWebhooks(): Promise<readonly ListedWebhook[]> {
    const rows = await this.access.read(rowsWithWebhook);
    return rows.flatMap((row) => {
      const { key, id, webhook } = sharedOf(row);
      return webhook ? [{ key, namespace: row.name, id, webhook }] : [];
    });
  }

  async getSubscription(namespace: string, id: string): Promise<Subscription> {
    const watched = await this.log.watchedNamespace(namespace);
    const { row, cursors } = await this.access.read(async (session) => {
      const { key } = await readNamespace(session, namespace);
      const [found, all] = await Promise.all([subscriptionById(session, key, id), cursorsIn(session, key, id)]);
      return { row: found, cursors: all };
    });
    if (!row) throw subscriptionNotFound(namespace, id);
    return this.here(watched, sharedOf(row), cursors);
  }

  async listSubscriptions(namespace: string): Promise<Subscription[]> {
    const watched = await this.log.watchedNamespace(namespace);
    const { rows, cursors } = await this.access.read(async (session) => {
      const { key } = await readNamespace(session, namespace);
      const [found, all] = await Promise.all([subscriptionsIn(session, key), cursorsIn(session, key)]);
      return { rows: found, cursors: all };
    });
    return Promise.all(rows.map((row) => this.here(watched, sharedOf(row), cursors)));
  }

  async moveCursors({ cursors, atUs }: Asked<'moveCursors'>): Promise<void> {
    const moves: PlacedMove[] = [];
    for (const { subscriptionKey, consumer, acknowledgedRevision, done = [], isRewind = false } of cursors) {
      const revision = await this.sharedRevision(subscriptionKey, acknowledgedRevision);
      if (revision !== undefined) moves.push({ subscriptionKey, consumer, revision, done, isRewind });
    }
    if (moves.length > 0) await this.access.transaction((session) => moveAll(session, moves, atUs));
  }

  forgetConsumers({ atUs }: { atUs: number }): Promise<number> {
    return this.access.read((session) => forgetUnseen(session, atUs));
  }

  /** The position in the log that all servers share; `undefined` where the subscription or its namespace was deleted. */
  private async sharedRevision(subscriptionKey: number, acknowledgedRevision: number): Promise<number | undefined> {
    const found = this.known.get(subscriptionKey) ?? (await this.look(subscriptionKey));
    if (!found) return undefined;
    const place = await this.log.place(found.watched, acknowledgedRevision);
    if (place.epoch === found.epoch) return place.origin;
    // The view of the namespace was made again meanwhile.
    const again = await this.look(subscriptionKey);
    const placed = again && (await this.log.place(again.watched, acknowledgedRevision));
    return placed && placed.epoch === again.epoch ? placed.origin : undefined;
  }

  private async look(subscriptionKey: number): Promise<Known | undefined> {
    this.known.delete(subscriptionKey);
    const namespace = await this.access.read((session) => namespaceOfSubscription(session, subscriptionKey));
    if (!namespace) return undefined;
    try {
      const watched = await this.log.watchedNamespace(namespace.name);
      return this.note(subscriptionKey, { watched, epoch: String(namespace.key) });
    } catch (error) {
      if (isNamespaceMissing(error)) return undefined;
      throw error;
    }
  }

  private note(subscriptionKey: number, known: Known): Known {
    this.known.set(subscriptionKey, known);
    return known;
  }

  /** The subscription with places in the log of this server. */
  private async here(
    watched: WatchedNamespace,
    { start, namespaceKey, ...record }: Shared,
    cursors: readonly SubscriptionCursorTable[],
  ): Promise<Subscription> {
    const { key } = record;
    const epoch = String(namespaceKey);
    this.note(key, { watched, epoch });
    const revisionAt = (origin: number) =>
      revisionHere(this.log, watched, { log: '', revision: 0, epoch, origin, term: '' });
    const own = cursors.filter((cursor) => cursor.subscription_key === key);
    const [startRevision, ...revisions] = await Promise.all(
      [start, ...own.map(({ revision }) => revision)].map(revisionAt),
    );
    return {
      ...record,
      namespace: watched.name,
      startRevision: startRevision ?? 0,
      cursors: own.map((cursor, at) => cursorHere(cursor, revisions[at] ?? 0)),
    };
  }
}

function cursorHere({ consumer, revision, seen_at_us: seenAtUs }: SubscriptionCursorTable, here: number): Cursor {
  // Where the view begins later than the position, its copies of older changes are of acknowledged ones.
  return { consumer, seenAtUs, acknowledgedRevision: here, passedOrigin: revision, passesGaps: here >= 0 };
}

function sharedOf({ key, id, namespace_key: namespaceKey, start_revision: start, record }: SubscriptionRow): Shared {
  return { ...(parseJson(record) as SubscriptionRecord), key, id, namespaceKey, start };
}

/** Fails with SUBSCRIPTION_EXISTS and TOO_MANY_STREAMS. The namespace is locked. */
async function insertSubscription(
  session: Session,
  { name, row, revision: start }: LoadedNamespace,
  { id, record }: { readonly id: string; readonly record: SubscriptionRecord },
): Promise<Shared> {
  if (!row) throw new Error('a subscription needs a namespace');
  const ids = await session.run(queries.selectFrom('subscription').select('id').where('namespace_key', '=', row.key));
  if (ids.some((other) => other.id === id)) throw subscriptionExists(name, id);
  if (ids.length >= SUBSCRIPTIONS_MAX) throw tooManySubscriptions(name);
  const values = {
    namespace_key: row.key,
    id,
    consumer_ttl_ms: record.consumerTtlMs,
    start_revision: start,
    has_webhook: record.webhook !== undefined,
    record: JSON.stringify(record),
  };
  const [made] = await session.run(queries.insertInto('subscription').values(values).returningAll());
  if (!made) throw new Error('a new subscription has no row');
  return sharedOf(made);
}

/** Fails with SUBSCRIPTION_NOT_FOUND, and FIELD_INVALID where the subscription has no webhook. The namespace is locked. */
async function updateWebhook(
  session: Session,
  { name, row: namespace }: LoadedNamespace,
  id: string,
  change: WebhookChange,
): Promise<Shared> {
  const row = namespace && (await subscriptionById(session, namespace.key, id));
  if (!row) throw subscriptionNotFound(name, id);
  const record = parseJson(row.record) as SubscriptionRecord;
  if (!record.webhook) throw webhookMissing(name, id);
  const changed = { ...record, webhook: changedWebhook(record.webhook, change) };
  const text = JSON.stringify(changed);
  await session.run(queries.updateTable('subscription').set({ record: text }).where('key', '=', row.key));
  return sharedOf({ ...row, record: text });
}

function alone(atUs: number, idempotency: Asked<'createSubscription'>['idempotency']) {
  return { ids: [], atUs, idempotency, bytes: BYTES_AROUND, isAlone: true };
}
