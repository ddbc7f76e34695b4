import type { ChangeLog, LogPlace, WatchedNamespace } from '../../../change-log/change-log.ts';
import type { Clock } from '../../../memory/clock.ts';
import { MnemeError } from '../../../memory/errors.ts';
import type { Cursor, Subscription } from '../../subscription-store.ts';
import type { RedisConnection, RedisReply } from '../connection.ts';
import { roomKey } from '../keys.ts';
import { cursorsOf, fieldsOf, type KeptCursor, type SubscriptionRecord } from './records.ts';

interface SubscriptionReadsOptions {
  readonly connection: RedisConnection;
  readonly prefix: string;
  readonly log: Pick<ChangeLog, 'place' | 'revisionAt'>;
  readonly clock: Clock;
}

/** Lies before everything: what Consume then answers is that changes are no longer kept. */
const NOWHERE = -1;
const GONE: ReadonlySet<string> = new Set(['REVISION_COMPACTED', 'REVISION_AHEAD']);

/** Reads subscriptions in Redis as this server understands them: with places in its own log. */
export class SubscriptionReads {
  private readonly options: SubscriptionReadsOptions;

  constructor(options: SubscriptionReadsOptions) {
    this.options = options;
  }

  async read(watched: WatchedNamespace, record: SubscriptionRecord): Promise<Subscription> {
    const { name: namespace } = watched;
    const kept = await this.cursors(namespace, record);
    const seen = kept.filter((cursor) => !isUnseen(record, cursor, this.options.clock.nowUs()));
    const cursors = await Promise.all(seen.map((cursor) => this.cursor(watched, cursor)));
    return subscriptionOf(namespace, record, await this.revisionAt(watched, { term: '', ...record.start }), cursors);
  }

  /** Where this server has delivered to the consumer before it goes on there, without what others have delivered since. */
  private async cursor(watched: WatchedNamespace, kept: KeptCursor): Promise<Cursor> {
    const { consumer, seenAtUs, epoch, origin, revisions } = kept;
    const { log, epoch: current } = await this.options.log.place(watched, 0);
    const own = revisions.get(log);
    const here = own ? await this.revisionAt(watched, { ...own, log, epoch: '', origin: 0 }) : NOWHERE;
    const found = await this.revisionAt(watched, { log: '', revision: 0, epoch, origin, term: '' });
    const passed = epoch === current && { passedOrigin: origin, passesGaps: found !== NOWHERE };
    // A log that went back to an older state is to this consumer as that of another server.
    return { consumer, seenAtUs, acknowledgedRevision: here === NOWHERE ? found : here, ...passed };
  }

  private async revisionAt(watched: WatchedNamespace, place: LogPlace): Promise<number> {
    try {
      return await this.options.log.revisionAt(watched, place);
    } catch (error) {
      if (error instanceof MnemeError && GONE.has(error.reason)) return NOWHERE;
      throw error;
    }
  }

  async record(namespace: string, id: string): Promise<SubscriptionRecord | undefined> {
    const key = `${this.room(namespace)}:s`;
    const json = await this.options.connection.send(key, ['HGET', key, id]);
    return json === null ? undefined : (JSON.parse(String(json)) as SubscriptionRecord);
  }
  async records(namespace: string): Promise<SubscriptionRecord[]> {
    const key = `${this.room(namespace)}:s`;
    const found = (await this.options.connection.send(key, ['HVALS', key])) as readonly RedisReply[];
    return found.map((json) => JSON.parse(String(json)) as SubscriptionRecord);
  }
  private async cursors(namespace: string, record: SubscriptionRecord): Promise<KeptCursor[]> {
    const key = this.cursorsKey(namespace, record);
    return cursorsOf((await this.options.connection.send(key, ['HGETALL', key])) as readonly RedisReply[]);
  }
  private cursorsKey(namespace: string, { key }: SubscriptionRecord): string {
    return `${this.room(namespace)}:sc:${key}`;
  }

  async forgetUnseen(namespace: string, record: SubscriptionRecord, atUs: number): Promise<number> {
    const unseen = (await this.cursors(namespace, record)).filter((cursor) => isUnseen(record, cursor, atUs));
    const key = this.cursorsKey(namespace, record);
    for (const cursor of unseen) await this.options.connection.send(key, ['HDEL', key, ...fieldsOf(cursor)]);
    return unseen.length;
  }

  private room(namespace: string): string {
    return roomKey(this.options.prefix, namespace);
  }
}

export function subscriptionOf(
  namespace: string,
  { start: _, ...record }: SubscriptionRecord,
  startRevision: number,
  cursors: readonly Cursor[],
): Subscription {
  return { ...record, namespace, startRevision, cursors };
}

/** The cursor of a work queue stays for as long as the queue does. */
function isUnseen({ consumerTtlMs }: SubscriptionRecord, { consumer, seenAtUs }: KeptCursor, atUs: number): boolean {
  return consumer !== '' && seenAtUs < atUs - consumerTtlMs * 1000;
}
