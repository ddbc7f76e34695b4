import type { SessionKey } from '../../../memory/session.ts';
import { ChangeListeners } from '../../sessions/session-view.ts';
import type { SessionKeys } from './session-keys.ts';
import type { SessionKeyspaces } from './session-keyspaces.ts';

interface Watched {
  readonly key: SessionKey;
  count: number;
  revision: string | undefined;
}

/**
 * Notifies listeners of writes: of this process at once, of other processes at the next poll. Polls only while there
 * are listeners.
 */
export class RemoteChanges {
  private readonly keyspaces: SessionKeyspaces;
  private readonly keysOf: (key: SessionKey) => SessionKeys;
  private readonly pollMs: number;
  private readonly listeners = new ChangeListeners();
  private readonly watched = new Map<string, Watched>();
  private timer: NodeJS.Timeout | undefined;
  private isClosed = false;

  constructor(keyspaces: SessionKeyspaces, keysOf: (key: SessionKey) => SessionKeys, pollMs: number) {
    this.keyspaces = keyspaces;
    this.keysOf = keysOf;
    this.pollMs = pollMs;
  }

  tell(key: SessionKey): void {
    this.listeners.tell(key);
  }

  add(key: SessionKey, listener: () => void): () => void {
    const { base } = this.keysOf(key);
    const watched = this.watched.get(base) ?? { key, count: 0, revision: undefined };
    watched.count += 1;
    this.watched.set(base, watched);
    const stop = this.listeners.add(key, listener);
    this.schedule();
    let isStopped = false;
    return () => {
      stop();
      if (isStopped) return;
      isStopped = true;
      watched.count -= 1;
      if (watched.count === 0) this.watched.delete(base);
    };
  }

  close(): void {
    this.isClosed = true;
    clearTimeout(this.timer);
  }

  private schedule(): void {
    if (this.timer || this.isClosed || this.watched.size === 0) return;
    this.timer = setTimeout(() => void this.look(), this.pollMs);
    this.timer.unref();
  }

  private async look(): Promise<void> {
    await Promise.all([...this.watched.values()].map((watched) => this.lookAt(watched)));
    this.timer = undefined;
    this.schedule();
  }

  private async lookAt(watched: Watched): Promise<void> {
    const keys = this.keysOf(watched.key);
    try {
      const revision = String(await this.keyspaces.of(watched.key.namespace).read(['HGET', keys.record, 'rev'], keys));
      const isOther = watched.revision !== undefined && watched.revision !== revision;
      watched.revision = revision;
      if (isOther) this.listeners.tell(watched.key);
    } catch {
      // The listeners' own reads report that Redis does not answer.
      this.listeners.tell(watched.key);
    }
  }
}
