import { randomUUID } from 'node:crypto';
import type { HookPeers } from '../../hook-peers.ts';
import type { LifecycleEvents } from '../../lifecycle-events.ts';
import type { SessionStore } from '../../session-store.ts';
import { Listener } from '../listener.ts';
import type { PostgresRecords } from '../record-store.ts';
import { PostgresHookPeers } from './hook-peers.ts';
import { PostgresLifecycleEvents } from './lifecycle-events.ts';
import { PostgresSessionStore } from './session-store.ts';
import { sessionChannelOf, signalOf } from './signals.ts';
import { WatchedSessions } from './watched-sessions.ts';

/** Sessions with their lifecycle in the PostgreSQL of the memories. */
export interface PostgresSessions {
  readonly sessions: SessionStore;
  readonly events: LifecycleEvents;
  readonly hookPeers: HookPeers;
  /** To be called before the records are closed. Safe to call twice. */
  close(): Promise<void>;
}

export interface PostgresSessionsOptions {
  /** Time between two polls for changes whose notification may be lost. */
  readonly pollMs?: number;
  /** Names this server among those that share the sessions. */
  readonly server?: string;
  /** Time after which the hooks of a dead server are no longer called. */
  readonly hookLeaseMs?: number;
}

const HOOK_LEASE_MS = 5000;

/** Resolves when it listens to the other servers, or has tried to. */
export async function openPostgresSessions(
  records: PostgresRecords,
  { pollMs, server = randomUUID(), hookLeaseMs: leaseMs = HOOK_LEASE_MS }: PostgresSessionsOptions = {},
): Promise<PostgresSessions> {
  const { core } = records;
  const watched = new WatchedSessions(core.database);
  const events = new PostgresLifecycleEvents(core.database);
  const hookPeers = new PostgresHookPeers({ ...core, server, leaseMs });
  const listener = new Listener({
    ...core,
    channel: sessionChannelOf(core.database.schema),
    onMessage: (message) => {
      const signal = signalOf(message);
      // Its own writes are told when they are acknowledged.
      if (signal?.kind === 'session' && signal.origin !== server) watched.tell(signal.key);
      else if (signal?.kind === 'events') events.announce(signal.namespace);
      else if (signal?.kind === 'hooks' && signal.server === server) void hookPeers.readMessages();
    },
    onConnected: () => watched.tellAll(),
    poll: async () => {
      await hookPeers.readMessages();
      await watched.poll();
    },
    pollMs,
  });
  await listener.begun;
  const [{ durability = '' } = {}] = records.describe();
  const sessions = new PostgresSessionStore({ core, watched, origin: server, durability });
  let closing: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    await hookPeers.close();
    await sessions.close();
    await listener.end();
  };
  return {
    sessions,
    events,
    hookPeers,
    close: () => {
      closing ??= close();
      return closing;
    },
  };
}
