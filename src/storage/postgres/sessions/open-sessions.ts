import { randomUUID } from 'node:crypto';
import type { LifecycleEvents } from '../../lifecycle-events.ts';
import type { SessionStore } from '../../session-store.ts';
import { Listener } from '../listener.ts';
import type { PostgresRecords } from '../record-store.ts';
import { PostgresLifecycleEvents } from './lifecycle-events.ts';
import { PostgresSessionStore } from './session-store.ts';
import { sessionChannelOf, signalOf } from './signals.ts';
import { WatchedSessions } from './watched-sessions.ts';

/** Sessions with their lifecycle in the PostgreSQL of the memories. */
export interface PostgresSessions {
  readonly sessions: SessionStore;
  readonly events: LifecycleEvents;
  /** To be called before the records are closed. Safe to call twice. */
  close(): Promise<void>;
}

export interface PostgresSessionsOptions {
  /** Time between two polls for changes whose notification may be lost. */
  readonly pollMs?: number;
  /** Names this server among those that share the sessions. */
  readonly server?: string;
}

/** Resolves when it listens to the other servers, or has tried to. */
export async function openPostgresSessions(
  records: PostgresRecords,
  { pollMs, server: origin = randomUUID() }: PostgresSessionsOptions = {},
): Promise<PostgresSessions> {
  const { core } = records;
  const watched = new WatchedSessions(core.database);
  const events = new PostgresLifecycleEvents(core.database);
  const listener = new Listener({
    ...core,
    channel: sessionChannelOf(core.database.schema),
    onMessage: (message) => {
      const signal = signalOf(message);
      // Its own writes are told when they are acknowledged.
      if (signal?.kind === 'session' && signal.origin !== origin) watched.tell(signal.key);
      else if (signal?.kind === 'events') events.announce(signal.namespace);
    },
    onConnected: () => watched.tellAll(),
    poll: () => watched.poll(),
    pollMs,
  });
  await listener.begun;
  const [{ durability = '' } = {}] = records.describe();
  const sessions = new PostgresSessionStore({ core, watched, origin, durability });
  let closing: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    await sessions.close();
    await listener.end();
  };
  return {
    sessions,
    events,
    close: () => {
      closing ??= close();
      return closing;
    },
  };
}
