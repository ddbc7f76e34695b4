import type { WorkLease, WorkLeases } from '../../subscription-store.ts';
import { keyspaceScripts, type RedisConnection, type RedisReply } from '../connection.ts';
import { escaped } from '../keys.ts';

export interface RedisWorkLeasesOptions {
  readonly connection: RedisConnection;
  /** Common prefix of the keys of the subscription's namespace; `undefined` for an unknown namespace. */
  readonly keyspaceOf: (subscriptionKey: number) => string | undefined;
}

/** Leases in Redis: keys that expire by the clock of Redis. */
export class RedisWorkLeases implements WorkLeases {
  private readonly options: RedisWorkLeasesOptions;

  constructor(options: RedisWorkLeasesOptions) {
    this.options = options;
  }

  async take({ subscriptionKey, name, holder }: WorkLease, durationMs: number): Promise<boolean> {
    const keyspace = this.options.keyspaceOf(subscriptionKey);
    if (keyspace === undefined) return false;
    const key = `${keyspace}:sl:${subscriptionKey}:${escaped(name)}`;
    const answer = await this.options.connection.send(key, ['SET', key, holder, 'NX', 'PX', `${durationMs}`]);
    return answer !== null;
  }

  renew(lease: WorkLease, durationMs: number): Promise<boolean> {
    return this.keep(lease, durationMs);
  }

  async release(lease: WorkLease): Promise<void> {
    await this.keep(lease, 0);
  }

  private async keep({ subscriptionKey, name, holder }: WorkLease, durationMs: number): Promise<boolean> {
    const { connection, keyspaceOf } = this.options;
    const keyspace = keyspaceOf(subscriptionKey);
    if (keyspace === undefined) return false;
    const args = [`${subscriptionKey}`, escaped(name), holder, `${durationMs}`];
    return Number(await connection.run(keyspaceScripts.keepLease, keyspace, args)) === 1;
  }

  async doneOf(subscriptionKey: number, origins: readonly number[]): Promise<ReadonlySet<number>> {
    const { connection, keyspaceOf } = this.options;
    const keyspace = keyspaceOf(subscriptionKey);
    if (keyspace === undefined || origins.length === 0) return new Set();
    const [cursors, work] = [`${keyspace}:sc:${subscriptionKey}`, `${keyspace}:sw:${subscriptionKey}`];
    // The marks first: those that a cursor passes in between are removed.
    const marks = (await connection.send(work, ['HMGET', work, ...origins.map(String)])) as readonly RedisReply[];
    const reached = await connection.send(cursors, ['HGET', cursors, '|origin']);
    const passed = reached === null ? -1 : Number(reached);
    return new Set(origins.filter((origin, at) => origin <= passed || String(marks[at]) === 'd'));
  }
}
