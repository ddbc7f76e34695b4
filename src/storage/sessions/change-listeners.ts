import type { SessionKey } from '../../memory/session.ts';

/** Who wants to know of writes to which session. */
export class ChangeListeners {
  private readonly byName = new Map<string, Set<() => void>>();

  get size(): number {
    return this.byName.size;
  }

  add(key: SessionKey, listener: () => void): () => void {
    const name = nameOf(key);
    const listeners = this.byName.get(name) ?? new Set();
    this.byName.set(name, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.byName.get(name) === listeners) this.byName.delete(name);
    };
  }

  tell(key: SessionKey): void {
    for (const listener of this.byName.get(nameOf(key)) ?? []) listener();
  }

  tellAll(): void {
    for (const listeners of this.byName.values()) for (const listener of listeners) listener();
  }
}

/** Of one session only, since neither part holds control characters. */
export function nameOf({ namespace, session }: SessionKey): string {
  return `${namespace}\n${session}`;
}
