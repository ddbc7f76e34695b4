/** Tells those who wait in this process that something may be new in a namespace. */
export class EventBell {
  private readonly listeners = new Set<(namespace: string) => void>();

  /** Returns what ends the listening. */
  on(listener: (namespace: string) => void): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  ring(namespace: string): void {
    for (const listener of [...this.listeners]) listener(namespace);
  }
}
