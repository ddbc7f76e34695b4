import type { Idempotency } from '../../../memory/call.ts';
import type { Micros } from '../../../memory/memory.ts';
import { type Checkpoint, isExpired, type SessionKey, type SessionRecord } from '../../../memory/session.ts';
import type { SessionOutcome, SessionStatistics, SessionStore, SessionWrite } from '../../session-store.ts';
import { eraseExpiredIn } from '../../sessions/apply-write.ts';
import type { Wanted } from '../../sessions/loaded-session.ts';
import type { RedisConnection } from '../connection.ts';
import type { RedisDurability } from '../durability.ts';
import { type Loaded, listOf } from './loaded.ts';
import { RemoteChanges } from './remote-changes.ts';
import {
  eraseScript,
  fenceScript,
  namespaceKeys,
  namespacesKey,
  requestKey,
  type SessionKeys,
  sessionKeys,
} from './session-keys.ts';
import { type SessionKeyspace, SessionKeyspaces, type SessionKeyspacesOptions } from './session-keyspaces.ts';
import * as reads from './session-reads.ts';
import { RedisSessionView } from './session-view.ts';
import { commit, eraseExpiredSession, keptOutcome, load, type WriteOptions, writeSession } from './write-session.ts';

type Reads<K extends keyof SessionStore> = SessionStore[K] extends (...read: infer R) => unknown ? R[0] : never;
type Answer<K extends keyof SessionStore> = SessionStore[K] extends (...read: never[]) => infer A ? A : never;

export interface RedisSessionOptions extends WriteOptions, Omit<SessionKeyspacesOptions, 'redis'> {
  /** Interval of polls for writes of other processes to watched sessions. */
  readonly pollMs: number;
  readonly durability?: { readonly current: Pick<RedisDurability, 'technology' | 'durability'> };
}

const PAGE_OF_SESSIONS = 256;

/** Sessions in Redis, shared by several servers. Their durability is that of the Redis. */
export class RedisSessionStore implements SessionStore {
  readonly storesEpisodes = false;
  private readonly redis: RedisConnection;
  private readonly options: RedisSessionOptions;
  private readonly changed: RemoteChanges;
  private readonly keyspaces: SessionKeyspaces;
  private readonly queues = new Map<string, Promise<unknown>>();
  private readonly knownNamespaces = new Set<string>();

  constructor(redis: RedisConnection, options: RedisSessionOptions) {
    this.redis = redis;
    this.options = options;
    this.keyspaces = new SessionKeyspaces({
      ...options,
      redis,
      onLoss: (namespace, loss) => {
        this.knownNamespaces.delete(namespace);
        options.onLoss?.(namespace, loss);
      },
    });
    this.changed = new RemoteChanges(this.keyspaces, (key) => this.keysOf(key), options.pollMs);
  }

  async write(write: SessionWrite): Promise<SessionOutcome> {
    const keys = this.keysOf(write);
    await this.enrol(write.namespace);
    const outcome = await this.inTurn(keys.base, () => writeSession(this.keyspace(write), keys, write, this.options));
    this.changed.tell(write);
    return outcome;
  }

  async outcomeOf({ namespace }: SessionKey, idempotency: Idempotency): Promise<SessionOutcome | undefined> {
    const key = requestKey(namespaceKeys(this.options.prefix, namespace), idempotency.requestId);
    const kept = await this.keyspaces.of(namespace).read(['GET', key]);
    return keptOutcome({ kept: Buffer.isBuffer(kept) ? kept.toString() : undefined }, idempotency);
  }
  session(key: SessionKey): Promise<SessionRecord | undefined> {
    return reads.readRecord(this.keyspace(key), this.keysOf(key));
  }
  async sessions({ namespace, limit, afterId, states }: Reads<'sessions'>): Promise<SessionRecord[]> {
    const { index } = namespaceKeys(this.options.prefix, namespace);
    const keyspace = this.keyspaces.of(namespace);
    const found: SessionRecord[] = [];
    for (let from = afterId === undefined ? '-' : `(${afterId}`; found.length < limit; ) {
      const args = ['ZRANGEBYLEX', index, from, '+', 'LIMIT', '0', `${PAGE_OF_SESSIONS}`];
      const ids = listOf(await keyspace.read(args)).map(String);
      const records = await Promise.all(
        ids.map((session) => reads.readRecord(keyspace, this.keysOf({ namespace, session }), false)),
      );
      found.push(
        ...records.flatMap((record) => (record && (!states || states.includes(record.state)) ? [record] : [])),
      );
      from = `(${ids.at(-1)}`;
      if (ids.length < PAGE_OF_SESSIONS) break;
    }
    return found.slice(0, limit);
  }
  get(read: Reads<'get'>): Answer<'get'> {
    return reads.getEntries(this.keyspace(read), this.keysOf(read), read);
  }
  list(read: Reads<'list'>): Answer<'list'> {
    return reads.listEntries(this.keyspace(read), this.keysOf(read), read);
  }
  notes(read: Reads<'notes'>): Answer<'notes'> {
    return reads.listNotes(this.keyspace(read), this.keysOf(read), read);
  }
  async checkpoint({ id, nowUs, ...key }: Reads<'checkpoint'>): Promise<Checkpoint | undefined> {
    const all = await reads.allCheckpoints(this.keyspace(key), this.keysOf(key), id);
    return all.find((checkpoint) => !isExpired(checkpoint, nowUs));
  }
  async checkpoints({ limit, beforeRevision, nowUs, ...key }: Reads<'checkpoints'>): Promise<Checkpoint[]> {
    return (await reads.allCheckpoints(this.keyspace(key), this.keysOf(key)))
      .filter((checkpoint) => !isExpired(checkpoint, nowUs))
      .filter(({ revision }) => beforeRevision === undefined || revision < beforeRevision)
      .sort((one, other) => other.revision - one.revision)
      .slice(0, limit);
  }
  snapshot(read: Reads<'snapshot'>): Answer<'snapshot'> {
    return reads.readSnapshot(this.keyspace(read), this.keysOf(read), read);
  }
  changes(read: Reads<'changes'>): Answer<'changes'> {
    return reads.listChanges(this.keyspace(read), this.keysOf(read), read);
  }
  onChange(key: SessionKey, listener: () => void): () => void {
    return this.changed.add(key, listener);
  }
  statistics(key: SessionKey, nowUs: Micros): Promise<SessionStatistics | undefined> {
    return reads.readStatistics(this.keyspace(key), this.keysOf(key), nowUs);
  }

  async idle({ nowUs, limit }: Reads<'idle'>): Promise<SessionKey[]> {
    const all = namespacesKey(this.options.prefix);
    const found: SessionKey[] = [];
    for (const namespace of listOf(await this.redis.send(all, ['SMEMBERS', all])).map(String)) {
      if (found.length >= limit) break;
      const { idle } = namespaceKeys(this.options.prefix, namespace);
      const args = ['ZRANGEBYSCORE', idle, '-inf', `${nowUs}`, 'LIMIT', '0', `${limit - found.length}`];
      const ids = listOf(await this.keyspaces.of(namespace).read(args)).map(String);
      found.push(...ids.map((session) => ({ namespace, session })));
    }
    return found;
  }
  async eraseExpired({ nowUs, limit }: Reads<'eraseExpired'>): Answer<'eraseExpired'> {
    const erased = await eraseDue(this.redis, this.keyspaces, this.options.prefix, { nowUs, limit });
    for (const key of erased.sessions) this.changed.tell(key);
    return { erasedCount: erased.count, isDone: erased.count < limit };
  }
  async eraseSession(key: SessionKey): Promise<boolean> {
    const { base, id, index, due, idle } = this.keysOf(key);
    const was = await this.inTurn(base, () => this.keyspace(key).run(eraseScript, [base, id, index, due, idle]));
    this.changed.tell(key);
    return was === 1;
  }
  async eraseNamespace(namespace: string): Promise<void> {
    const { index, due, idle, events, eventEnds, eventConsumers } = namespaceKeys(this.options.prefix, namespace);
    const keyspace = this.keyspaces.of(namespace);
    for (;;) {
      const ids = listOf(await keyspace.read(['ZRANGE', index, '0', `${PAGE_OF_SESSIONS - 1}`])).map(String);
      for (const session of ids) await this.eraseSession({ namespace, session });
      if (ids.length < PAGE_OF_SESSIONS) break;
    }
    await this.redis.send(due, ['UNLINK', due, idle, events, eventEnds, eventConsumers]);
  }
  async fenceNamespace(namespace: string): Promise<void> {
    await this.keyspaces.of(namespace).run(fenceScript, []);
  }
  describe(): { role: string; technology: string; durability: string }[] {
    const { technology = 'redis', durability = 'as Redis is set up' } = this.options.durability?.current ?? {};
    return [{ role: 'sessions', technology, durability }];
  }
  /** The caller that opened the connection closes it. */
  async close(): Promise<void> {
    this.changed.close();
    await Promise.allSettled(this.queues.values());
  }

  private keyspace({ namespace }: Pick<SessionKey, 'namespace'>): SessionKeyspace {
    return this.keyspaces.of(namespace);
  }

  private keysOf(key: SessionKey): SessionKeys {
    return sessionKeys(this.options.prefix, key);
  }

  /** Runs the writes of one session in sequence: of two concurrent writes, one would find a changed session. */
  private async inTurn<A>(base: string, work: () => Promise<A>): Promise<A> {
    const before = this.queues.get(base) ?? Promise.resolve();
    const turn = before.then(work, work);
    this.queues.set(base, turn);
    try {
      return await turn;
    } finally {
      if (this.queues.get(base) === turn) this.queues.delete(base);
    }
  }

  /** The expiry job visits the namespaces in this set. */
  private async enrol(namespace: string): Promise<void> {
    if (this.knownNamespaces.has(namespace)) return;
    const key = namespacesKey(this.options.prefix);
    await this.redis.send(key, ['SADD', key, namespace]);
    this.knownNamespaces.add(namespace);
  }
}

export interface DueErased {
  count: number;
  readonly sessions: SessionKey[];
}

/** Erases expired sessions, keys and checkpoints of sessions that are indexed as due. */
export async function eraseDue(
  redis: RedisConnection,
  keyspaces: SessionKeyspaces,
  prefix: string,
  { nowUs, limit }: { readonly nowUs: Micros; readonly limit: number },
): Promise<DueErased> {
  const erased: DueErased = { count: 0, sessions: [] };
  const all = namespacesKey(prefix);
  for (const namespace of listOf(await redis.send(all, ['SMEMBERS', all])).map(String)) {
    const { due } = namespaceKeys(prefix, namespace);
    const keyspace = keyspaces.of(namespace);
    const args = ['ZRANGEBYSCORE', due, '-inf', `${nowUs}`, 'LIMIT', '0', `${limit}`];
    for (const session of listOf(await keyspace.read(args)).map(String)) {
      if (erased.count >= limit) return erased;
      erased.count += await eraseIn(keyspace, prefix, { namespace, session }, nowUs, limit);
      erased.sessions.push({ namespace, session });
    }
  }
  return erased;
}

/** A session that changes meanwhile stays due until the next run. */
async function eraseIn(
  redis: SessionKeyspace,
  prefix: string,
  key: SessionKey,
  nowUs: Micros,
  limit: number,
): Promise<number> {
  const keys = sessionKeys(prefix, key);
  const reading = { what: new Set<Wanted>(['X', 'C']), keys: new Set<string>(), checkpoints: new Set<string>() };
  const loaded = await load(redis, keys, reading, { isNeeded: false });
  const { record } = loaded;
  if (!record || isExpired(record, nowUs)) return (await eraseExpiredSession(redis, keys, nowUs)) ? 1 : 0;
  const view = new RedisSessionView(keys, loaded, { ...record }, nowUs);
  const count = eraseExpiredIn(view, nowUs, limit);
  if (count === 0) view.record.revision = record.revision;
  const isDone = await commit(redis, keys, loaded, view, [dueCommand(keys, loaded, record.expiresAtUs)]);
  return isDone ? count : 0;
}

/** Next expiry in the session, from its remaining data. */
function dueCommand({ due, id }: { due: string; id: string }, loaded: Loaded, expiresAtUs = Infinity): string[] {
  let next = expiresAtUs;
  for (const entry of loaded.entries.values()) next = Math.min(next, entry?.expiresAtUs ?? Infinity);
  for (const checkpoint of loaded.checkpoints.values()) next = Math.min(next, checkpoint.expiresAtUs ?? Infinity);
  return next === Infinity ? ['ZREM', due, id] : ['ZADD', due, `${next}`, id];
}
