import type { LogPlace } from '../../../change-log/change-log.ts';
import type { Subscription } from '../../subscription-store.ts';
import type { RedisReply } from '../connection.ts';

/** A subscription as Redis keeps it, without its cursors. */
export interface SubscriptionRecord extends Omit<Subscription, 'namespace' | 'startRevision' | 'cursors'> {
  /** Without a term where an earlier version has made it. */
  readonly start: Omit<LogPlace, 'term'> & Partial<Pick<LogPlace, 'term'>>;
}

/** How far a consumer has come, as Redis keeps it. */
export interface KeptCursor {
  readonly consumer: string;
  readonly epoch: string;
  readonly origin: number;
  readonly seenAtUs: number;
  /** Revisions, with the terms that they were written in, by the log that they are of. */
  readonly revisions: ReadonlyMap<string, Pick<LogPlace, 'revision' | 'term'>>;
}

/** Reads the hash of the cursors, whose fields are `<consumer>|<what>`. */
export function cursorsOf(reply: readonly RedisReply[]): KeptCursor[] {
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

export function revisionText({ revision, term }: Pick<LogPlace, 'revision' | 'term'>): string {
  return `${revision} ${term}`;
}

function revisionIn(text: string): Pick<LogPlace, 'revision' | 'term'> {
  const [revision, term = ''] = text.split(' ');
  return { revision: Number(revision), term };
}

/** Fields that are to be erased with a consumer. */
export function fieldsOf({ consumer, revisions }: KeptCursor): string[] {
  const logs = [...revisions.keys()].map((log) => `at|${log}`);
  return ['epoch', 'origin', 'seen', ...logs].map((name) => `${consumer}|${name}`);
}
