/** Namespaces of a view: the work that needs each, and the order of their last uses. */
export class NamespaceUse {
  private readonly counts = new Map<string, number>();
  /** Least recently used first. */
  private readonly used = new Set<string>();

  /**
   * The namespace stays in the view until the returned function is called. Work of a job is no use: it comes to every
   * namespace in turn, and would hide which ones callers need.
   */
  hold(namespace: string, isUse = true): () => void {
    this.counts.set(namespace, (this.counts.get(namespace) ?? 0) + 1);
    if (isUse) this.touch(namespace);
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      const count = (this.counts.get(namespace) ?? 0) - 1;
      if (count > 0) this.counts.set(namespace, count);
      else this.counts.delete(namespace);
      // A stream that was open for long has used the namespace until now.
      if (isUse && this.used.has(namespace)) this.touch(namespace);
    };
  }

  isHeld(namespace: string): boolean {
    return this.counts.has(namespace);
  }

  /** The namespace is in the view again: calls that have waited for it use it. */
  renew(namespace: string): void {
    if (this.counts.has(namespace)) this.touch(namespace);
  }

  forget(namespace: string): void {
    this.used.delete(namespace);
  }

  /** The candidate whose last use is longest ago; one that was never used comes first. `undefined` without any. */
  leastOf(candidates: ReadonlySet<string>): string | undefined {
    for (const name of candidates) if (!this.used.has(name)) return name;
    for (const name of this.used) if (candidates.has(name)) return name;
    return undefined;
  }

  private touch(namespace: string): void {
    this.used.delete(namespace);
    this.used.add(namespace);
  }
}
