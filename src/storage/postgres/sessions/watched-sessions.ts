import { sql } from '#kysely';
import type { SessionKey } from '../../../memory/session.ts';
import { ChangeListeners, nameOf } from '../../sessions/session-view.ts';
import type { PostgresDatabase } from '../database.ts';

interface Watched {
  readonly key: SessionKey;
  count: number;
  /** Number of the session with its revision, at the last poll. */
  state: string | undefined;
}

/** Maximum sessions that one poll looks at. */
const POLLED_MAX = 10_000;

/** Listeners to writes of sessions: called by messages of any server, and by a poll where a message was lost. */
export class WatchedSessions {
  private readonly database: PostgresDatabase;
  private readonly listeners = new ChangeListeners();
  private readonly watched = new Map<string, Watched>();

  constructor(database: PostgresDatabase) {
    this.database = database;
  }

  tell(key: SessionKey): void {
    this.listeners.tell(key);
  }

  tellAll(): void {
    this.listeners.tellAll();
  }

  /** Returns a function that stops the calls. */
  add(key: SessionKey, listener: () => void): () => void {
    const name = nameOf(key);
    const watched = this.watched.get(name) ?? { key, count: 0, state: undefined };
    watched.count += 1;
    this.watched.set(name, watched);
    const stop = this.listeners.add(key, listener);
    let isStopped = false;
    return () => {
      stop();
      if (isStopped) return;
      isStopped = true;
      watched.count -= 1;
      if (watched.count === 0 && this.watched.get(name) === watched) this.watched.delete(name);
    };
  }

  async poll(): Promise<void> {
    const looked = [...this.watched.values()].slice(0, POLLED_MAX);
    if (looked.length === 0) return;
    const names = [looked.map(({ key }) => key.namespace), looked.map(({ key }) => key.session)];
    const rows = await this.database.read((session) =>
      session.run(sql<{ at: number; state: string }>`SELECT w.at, s.key || ' ' || s.revision AS state
        FROM unnest(${names[0]}::text[], ${names[1]}::text[]) WITH ORDINALITY AS w(namespace, id, at)
        JOIN session s ON s.namespace = w.namespace AND s.id = w.id`),
    );
    const states = new Map(rows.map(({ at, state }) => [at - 1, state]));
    for (const [at, watched] of looked.entries()) {
      const state = states.get(at) ?? '';
      // Before the first poll, too, a message may have been lost.
      const isOther = watched.state !== state;
      watched.state = state;
      if (isOther) this.listeners.tell(watched.key);
    }
  }
}
