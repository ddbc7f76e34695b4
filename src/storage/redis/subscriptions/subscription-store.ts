import { randomInt } from 'node:crypto';
import type { LogPlace, WatchedNamespace } from '../../../change-log/change-log.ts';
import type { Idempotency } from '../../../memory/call.ts';
import type { Clock } from '../../../memory/clock.ts';
import { parseJson } from '../../../memory/json.ts';
import { BEFORE_LOG, type PlacedLog, revisionHere } from '../../log-places.ts';
import { type Kept, keptOutcome } from '../../rules/kept-outcome.ts';
import {
  type Claim,
  type Cursor,
  type CursorMove,
  SUBSCRIPTIONS_MAX,
  type Subscription,
  type SubscriptionOutcome,
  type SubscriptionStore,
  subscriptionExists,
  subscriptionNotFound,
  tooManySubscriptions,
  type WorkClaims,
} from '../../subscription-store.ts';
import { keyspaceScripts, type RedisConnection, type RedisReply } from '../connection.ts';
import { keyspacePrefix } from '../keys.ts';
import { RedisWorkLeases } from './work-leases.ts';

export interface RedisSubscriptionsOptions {
  readonly connection: RedisConnection;
  readonly prefix: string;
  readonly idempotencyRetentionMs: number;
  /** Log of this server: cursors are places in it and in the keyspace's log. */
  readonly log: PlacedLog;
  readonly clock: Clock;
}

type Asked<K extends 'createSubscription' | 'deleteSubscription' | 'moveCursors'> = Parameters<SubscriptionStore[K]>[0];

/** Keys of subscriptions are unique numbers. */
const KEY_MAX = 2 ** 47;

/** Durable subscriptions in Redis, shared by all of its servers. */
export class RedisSubscriptions implements SubscriptionStore {
  readonly claims: RedisWorkClaims;
  readonly leases: RedisWorkLeases;
  private readonly options: RedisSubscriptionsOptions;
  private readonly reads: SubscriptionReads;
  /** Namespaces with subscriptions that this server serves. */
  private readonly known = new Map<number, { readonly namespace: string; readonly mode: Subscription['mode'] }>();

  constructor(options: RedisSubscriptionsOptions) {
    this.options = options;
    this.reads = new SubscriptionReads(options);
    const { connection } = options;
    const keyspaceOf = (key: number) => {
      const known = this.known.get(key);
      return known && this.keyspace(known.namespace);
    };
    const owner = async () => (await options.log.place({ key: 0, name: '' }, 0)).log;
    this.claims = new RedisWorkClaims({ connection, owner, keyspaceOf });
    this.leases = new RedisWorkLeases({ connection, keyspaceOf });
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

  /** Deletes the subscriptions of a deleted namespace. */
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
      // Acknowledgements at another server stay.
      args.push(consumer, revisionText(place), place.epoch, `${place.origin}`, `${atUs}`, isRewind ? '0' : '1');
      args.push(`${done.length}`, ...done.map(String));
    }
    await this.run('moveCursors', known.namespace, [`${key}`, name, ...args]);
  }

  /** For the subscriptions of this server: the other servers do it for theirs. */
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
  private keyspace(namespace: string): string {
    return keyspacePrefix(this.options.prefix, namespace);
  }

  private async run(
    script: 'createSubscription' | 'deleteSubscription' | 'moveCursors',
    namespace: string,
    args: string[],
  ): Promise<string[]> {
    const answer = await this.options.connection.run(keyspaceScripts[script], this.keyspace(namespace), args);
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

const CLAIMS: Readonly<Record<string, Claim>> = { m: 'mine', t: 'taken', d: 'done' };

export interface RedisWorkClaimsOptions {
  readonly connection: RedisConnection;
  /** Name of the claiming server, stable over restarts. */
  readonly owner: () => Promise<string>;
  /** Common prefix of the keys of the subscription's namespace; `undefined` for an unknown namespace. */
  readonly keyspaceOf: (subscriptionKey: number) => string | undefined;
}

/** Claims in Redis, each with the instant of its expiry. */
class RedisWorkClaims implements WorkClaims {
  private readonly options: RedisWorkClaimsOptions;

  constructor(options: RedisWorkClaimsOptions) {
    this.options = options;
  }

  async claim({ subscriptionKey, origins, untilMs, nowMs }: Parameters<WorkClaims['claim']>[0]): Promise<Claim[]> {
    const { connection, owner, keyspaceOf } = this.options;
    const keyspace = keyspaceOf(subscriptionKey);
    if (keyspace === undefined) return origins.map(() => 'taken');
    const times = [Math.floor(untilMs), Math.floor(nowMs)].map(String);
    const args = [`${subscriptionKey}`, await owner(), ...times, ...origins.map(String)];
    const answers = (await connection.run(keyspaceScripts.claimWork, keyspace, args)) as readonly RedisReply[];
    return answers.map((answer) => CLAIMS[String(answer)] ?? 'taken');
  }

  async release(subscriptionKey: number): Promise<void> {
    const { connection, owner, keyspaceOf } = this.options;
    const keyspace = keyspaceOf(subscriptionKey);
    if (keyspace !== undefined)
      await connection.run(keyspaceScripts.releaseWork, keyspace, [`${subscriptionKey}`, await owner()]);
  }
}

interface SubscriptionReadsOptions {
  readonly connection: RedisConnection;
  readonly prefix: string;
  readonly log: PlacedLog;
  readonly clock: Clock;
}

/** Reads subscriptions from Redis in the form of this server: with places in its own log. */
class SubscriptionReads {
  private readonly options: SubscriptionReadsOptions;

  constructor(options: SubscriptionReadsOptions) {
    this.options = options;
  }

  async read(watched: WatchedNamespace, record: SubscriptionRecord): Promise<Subscription> {
    const { name: namespace } = watched;
    const kept = await this.cursors(namespace, record);
    const seen = kept.filter((cursor) => !isUnseen(record, cursor, this.options.clock.nowUs()));
    const cursors = await Promise.all(seen.map((cursor) => this.cursor(watched, cursor)));
    return subscriptionOf(
      namespace,
      record,
      await revisionHere(this.options.log, watched, { term: '', ...record.start }),
      cursors,
    );
  }

  /** Last delivery of this server to the consumer, without later deliveries of other servers. */
  private async cursor(watched: WatchedNamespace, kept: KeptCursor): Promise<Cursor> {
    const { consumer, seenAtUs, epoch, origin, revisions } = kept;
    const { log, epoch: current } = await this.options.log.place(watched, 0);
    const own = revisions.get(log);
    const here = own
      ? await revisionHere(this.options.log, watched, { ...own, log, epoch: '', origin: 0 })
      : BEFORE_LOG;
    const found = await revisionHere(this.options.log, watched, { log: '', revision: 0, epoch, origin, term: '' });
    const passed = epoch === current && { passedOrigin: origin, passesGaps: found !== BEFORE_LOG };
    // For this consumer, a log that was restored to an earlier state equals the log of another server.
    return { consumer, seenAtUs, acknowledgedRevision: here === BEFORE_LOG ? found : here, ...passed };
  }

  async record(namespace: string, id: string): Promise<SubscriptionRecord | undefined> {
    const key = `${this.keyspace(namespace)}:s`;
    const json = await this.options.connection.send(key, ['HGET', key, id]);
    return json === null ? undefined : (parseJson(String(json)) as SubscriptionRecord);
  }
  async records(namespace: string): Promise<SubscriptionRecord[]> {
    const key = `${this.keyspace(namespace)}:s`;
    const found = (await this.options.connection.send(key, ['HVALS', key])) as readonly RedisReply[];
    return found.map((json) => parseJson(String(json)) as SubscriptionRecord);
  }
  private async cursors(namespace: string, record: SubscriptionRecord): Promise<KeptCursor[]> {
    const key = this.cursorsKey(namespace, record);
    return cursorsOf((await this.options.connection.send(key, ['HGETALL', key])) as readonly RedisReply[]);
  }
  private cursorsKey(namespace: string, { key }: SubscriptionRecord): string {
    return `${this.keyspace(namespace)}:sc:${key}`;
  }

  async forgetUnseen(namespace: string, record: SubscriptionRecord, atUs: number): Promise<number> {
    const unseen = (await this.cursors(namespace, record)).filter((cursor) => isUnseen(record, cursor, atUs));
    const key = this.cursorsKey(namespace, record);
    for (const cursor of unseen) await this.options.connection.send(key, ['HDEL', key, ...fieldsOf(cursor)]);
    return unseen.length;
  }

  private keyspace(namespace: string): string {
    return keyspacePrefix(this.options.prefix, namespace);
  }
}

function subscriptionOf(
  namespace: string,
  { start: _, ...record }: SubscriptionRecord,
  startRevision: number,
  cursors: readonly Cursor[],
): Subscription {
  return { ...record, namespace, startRevision, cursors };
}

/** The cursor of a work queue lives as long as the queue. */
function isUnseen({ consumerTtlMs }: SubscriptionRecord, { consumer, seenAtUs }: KeptCursor, atUs: number): boolean {
  return consumer !== '' && seenAtUs < atUs - consumerTtlMs * 1000;
}

/** The stored form of a subscription in Redis, without its cursors. */
interface SubscriptionRecord extends Omit<Subscription, 'namespace' | 'startRevision' | 'cursors'> {
  /** Without a term if an earlier version has created it. */
  readonly start: Omit<LogPlace, 'term'> & Partial<Pick<LogPlace, 'term'>>;
}

/** The stored position of a consumer in Redis. */
interface KeptCursor {
  readonly consumer: string;
  readonly epoch: string;
  readonly origin: number;
  readonly seenAtUs: number;
  /** Revisions with their terms, by log. */
  readonly revisions: ReadonlyMap<string, Pick<LogPlace, 'revision' | 'term'>>;
}

/** Parses the hash of the cursors, whose fields are `<consumer>|<kind>`. */
function cursorsOf(reply: readonly RedisReply[]): KeptCursor[] {
  const byConsumer = new Map<string, Map<string, string>>();
  for (let at = 0; at + 1 < reply.length; at += 2) {
    const field = String(reply[at]);
    const bar = field.indexOf('|');
    if (bar < 0) continue;
    const consumer = field.slice(0, bar);
    const parts = byConsumer.get(consumer) ?? new Map<string, string>();
    byConsumer.set(consumer, parts.set(field.slice(bar + 1), String(reply[at + 1])));
  }
  return [...byConsumer]
    .map(([consumer, parts]) => ({
      consumer,
      epoch: parts.get('epoch') ?? '',
      origin: Number(parts.get('origin') ?? 0),
      seenAtUs: Number(parts.get('seen') ?? 0),
      revisions: new Map(
        [...parts]
          .filter(([name]) => name.startsWith('at|'))
          .map(([name, value]) => [name.slice(3), revisionIn(value)] as const),
      ),
    }))
    .sort((one, other) => (one.consumer < other.consumer ? -1 : 1));
}

function revisionText({ revision, term }: Pick<LogPlace, 'revision' | 'term'>): string {
  return `${revision} ${term}`;
}

function revisionIn(text: string): Pick<LogPlace, 'revision' | 'term'> {
  const [revision, term = ''] = text.split(' ');
  return { revision: Number(revision), term };
}

/** Fields that are erased with a consumer. */
function fieldsOf({ consumer, revisions }: KeptCursor): string[] {
  const logs = [...revisions.keys()].map((log) => `at|${log}`);
  return ['epoch', 'origin', 'seen', ...logs].map((name) => `${consumer}|${name}`);
}
