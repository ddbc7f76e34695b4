import { randomInt } from 'node:crypto';
import type { ChangeLog, WatchedNamespace } from '../../../change-log/change-log.ts';
import type { Idempotency } from '../../../memory/call.ts';
import type { Clock } from '../../../memory/clock.ts';
import { subscriptionExists, subscriptionNotFound, tooManySubscriptions } from '../../subscription-errors.ts';
import {
  type CursorMove,
  SUBSCRIPTIONS_MAX,
  type Subscription,
  type SubscriptionOutcome,
  type SubscriptionStore,
} from '../../subscription-store.ts';
import type { RedisConnection } from '../connection.ts';
import { type Kept, keptOutcome } from '../kept-outcome.ts';
import { roomKey } from '../keys.ts';
import { roomScripts } from '../room-scripts.ts';
import { revisionText, type SubscriptionRecord } from './records.ts';
import { SubscriptionReads, subscriptionOf } from './subscription-reads.ts';
import { RedisWorkClaims } from './work-claims.ts';

export interface RedisSubscriptionsOptions {
  readonly connection: RedisConnection;
  readonly prefix: string;
  readonly idempotencyRetentionMs: number;
  /** Of this server: cursors are places in it, and in the room's. */
  readonly log: Pick<ChangeLog, 'revision' | 'place' | 'revisionAt' | 'watchedNamespace'>;
  readonly clock: Clock;
}

type Asked<K extends 'createSubscription' | 'deleteSubscription' | 'moveCursors'> = Parameters<SubscriptionStore[K]>[0];

/** Keys of subscriptions are numbers that nobody else has taken. */
const KEY_MAX = 2 ** 47;

/** Durable subscriptions in Redis, for all servers that share it. */
export class RedisSubscriptions implements SubscriptionStore {
  readonly claims: RedisWorkClaims;
  private readonly options: RedisSubscriptionsOptions;
  private readonly reads: SubscriptionReads;
  /** Where subscriptions are that this server has to do with. */
  private readonly known = new Map<number, { readonly namespace: string; readonly mode: Subscription['mode'] }>();

  constructor(options: RedisSubscriptionsOptions) {
    this.options = options;
    this.reads = new SubscriptionReads(options);
    this.claims = new RedisWorkClaims({
      connection: options.connection,
      owner: async () => (await options.log.place({ key: 0, name: '' }, 0)).log,
      roomOf: (key) => {
        const known = this.known.get(key);
        return known && this.room(known.namespace);
      },
    });
  }

  async createSubscription(write: Asked<'createSubscription'>): Promise<SubscriptionOutcome> {
    const { namespace, id, atUs, idempotency, ...fields } = write;
    const { log } = this.options;
    const watched = await log.watchedNamespace(namespace);
    const { revision } = log;
    const start = await log.place(watched, revision);
    const record: SubscriptionRecord = { ...fields, id, key: randomInt(1, KEY_MAX), createdAtUs: atUs, start };
    const outcome = { revision, subscription: subscriptionOf(namespace, record, revision, []) };
    const args = [id, JSON.stringify(record), `${record.key}`, `${SUBSCRIPTIONS_MAX}`];
    const kept = this.keeping(idempotency, outcome, atUs);
    const [word, before] = await this.run('createSubscription', namespace, [...args, ...kept]);
    if (word === 'kept') return this.outcomeIn(before, idempotency, atUs) as SubscriptionOutcome;
    if (word === 'there') throw subscriptionExists(namespace, id);
    if (word === 'full') throw tooManySubscriptions(namespace);
    this.known.set(record.key, { namespace, mode: record.mode });
    return outcome;
  }

  async deleteSubscription(write: Asked<'deleteSubscription'>): Promise<{ revision: number }> {
    const { namespace, id, atUs, idempotency } = write;
    await this.options.log.watchedNamespace(namespace);
    const record = await this.reads.record(namespace, id);
    const outcome = { revision: this.options.log.revision };
    const args = [id, `${record?.key ?? 0}`, ...this.keeping(idempotency, outcome, atUs)];
    const [word, before] = await this.run('deleteSubscription', namespace, args);
    if (word === 'kept') return this.outcomeIn(before, idempotency, atUs) as { revision: number };
    if (word === 'gone') throw subscriptionNotFound(namespace, id);
    return outcome;
  }

  /** Of a namespace that is deleted itself. */
  async deleteAll(namespace: string): Promise<void> {
    for (const { id, key } of await this.reads.records(namespace)) {
      await this.run('deleteSubscription', namespace, [id, `${key}`, '', '', '']);
    }
  }

  async getSubscription(namespace: string, id: string): Promise<Subscription> {
    const watched = await this.options.log.watchedNamespace(namespace);
    const record = await this.reads.record(namespace, id);
    if (!record) throw subscriptionNotFound(namespace, id);
    return this.read(watched, record);
  }

  async listSubscriptions(namespace: string): Promise<Subscription[]> {
    const watched = await this.options.log.watchedNamespace(namespace);
    const records = await this.reads.records(namespace);
    records.sort((one, other) => (one.id < other.id ? -1 : 1));
    return Promise.all(records.map((record) => this.read(watched, record)));
  }

  async moveCursors({ cursors, atUs }: Asked<'moveCursors'>): Promise<void> {
    const bySubscription = Map.groupBy(cursors, ({ subscriptionKey }) => subscriptionKey);
    await Promise.all([...bySubscription].map(([key, moves]) => this.move(key, moves, atUs)));
  }

  private async move(key: number, moves: readonly CursorMove[], atUs: number): Promise<void> {
    const known = this.known.get(key);
    if (!known) return;
    const { log } = this.options;
    const watched = await log.watchedNamespace(known.namespace);
    const args: string[] = [];
    let name = '';
    for (const { consumer, acknowledgedRevision, done = [], isRewind } of moves) {
      const place = await log.place(watched, acknowledgedRevision);
      name = place.log;
      // What was acknowledged at another server stays so.
      args.push(consumer, revisionText(place), place.epoch, `${place.origin}`, `${atUs}`, isRewind ? '0' : '1');
      args.push(`${done.length}`, ...done.map(String));
    }
    await this.run('moveCursors', known.namespace, [`${key}`, name, ...args]);
  }

  /** Of the subscriptions that this server has to do with: of others whoever reads them does it. */
  async forgetConsumers({ atUs }: { atUs: number }): Promise<number> {
    let count = 0;
    for (const namespace of new Set([...this.known.values()].map((known) => known.namespace))) {
      for (const record of await this.reads.records(namespace))
        count += await this.reads.forgetUnseen(namespace, record, atUs);
    }
    return count;
  }

  private read(watched: WatchedNamespace, record: SubscriptionRecord): Promise<Subscription> {
    this.known.set(record.key, { namespace: watched.name, mode: record.mode });
    return this.reads.read(watched, record);
  }
  private room(namespace: string): string {
    return roomKey(this.options.prefix, namespace);
  }

  private async run(
    script: 'createSubscription' | 'deleteSubscription' | 'moveCursors',
    namespace: string,
    args: string[],
  ): Promise<string[]> {
    const answer = await this.options.connection.run(roomScripts[script], this.room(namespace), args);
    return Array.isArray(answer) ? answer.map(String) : [];
  }
  private keeping(idempotency: Idempotency | undefined, outcome: unknown, atUs: number): string[] {
    if (!idempotency) return ['', '', ''];
    const { requestId, fingerprint } = idempotency;
    const { idempotencyRetentionMs } = this.options;
    const kept: Kept = { fingerprint, outcome, expiresAtUs: atUs + idempotencyRetentionMs * 1000 };
    return [requestId, JSON.stringify(kept), `${Math.max(1, Math.ceil(idempotencyRetentionMs))}`];
  }
  private outcomeIn(json: string | undefined, idempotency: Idempotency | undefined, atUs: number): unknown {
    return idempotency && keptOutcome(JSON.parse(json ?? '') as Kept, idempotency, atUs)?.outcome;
  }
}
