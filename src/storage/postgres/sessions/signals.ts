import { sql } from '#kysely';
import type { SessionKey } from '../../../memory/session.ts';
import type { Query } from '../database.ts';

/** Channel of a schema for all that concerns sessions. */
export function sessionChannelOf(schema: string): string {
  return `${schema}_sessions`;
}

/** A message on the channel. `origin`: the server that has written to the session. */
export type Signal =
  | { readonly kind: 'session'; readonly origin: string; readonly key: SessionKey }
  /** A namespace has new lifecycle events. */
  | { readonly kind: 'events'; readonly namespace: string }
  /** A server has messages of hooks. */
  | { readonly kind: 'hooks'; readonly server: string };

/** Sends signals when the transaction commits. */
export function sending(signals: readonly Signal[]): Query<unknown> {
  return sql`SELECT pg_notify(current_schema() || '_sessions', signal) FROM unnest(${signals.map(textOf)}::text[]) AS signal`;
}

/** Neither names nor ids hold control characters. */
function textOf(signal: Signal): string {
  switch (signal.kind) {
    case 'session':
      return `session\n${signal.origin}\n${signal.key.namespace}\n${signal.key.session}`;
    case 'events':
      return `events\n${signal.namespace}`;
    case 'hooks':
      return `hooks\n${signal.server}`;
  }
}

/** `undefined` for a message of another version. */
export function signalOf(text: string): Signal | undefined {
  const [kind, one = '', namespace = '', session = ''] = text.split('\n');
  if (kind === 'session') return { kind, origin: one, key: { namespace, session } };
  if (kind === 'events') return { kind, namespace: one };
  return kind === 'hooks' ? { kind, server: one } : undefined;
}
