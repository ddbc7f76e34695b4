import type { LifecycleEvents } from './storage/lifecycle-events.ts';
import type { SessionStore } from './storage/session-store.ts';
import type { SqliteMemoryStore } from './storage/sqlite/memory-store.ts';
import { SqliteLifecycleEvents } from './storage/sqlite/sessions/lifecycle-events.ts';
import { SqliteSessionStore } from './storage/sqlite/sessions/session-store.ts';

/** Where sessions are kept, and what happens to them. */
export interface SessionParts {
  readonly sessions: SessionStore;
  readonly events: LifecycleEvents;
}

export async function openSessions(store: SqliteMemoryStore): Promise<SessionParts> {
  return { sessions: new SqliteSessionStore(store), events: new SqliteLifecycleEvents(store) };
}
