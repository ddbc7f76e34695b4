import { SEARCH_SLICE_MS } from '../memory/slices.ts';
import type { NamespaceSource } from './namespace-source.ts';
import type { NamespaceState } from './namespace-state.ts';

/** Changes that are looked at one by one; after more of them, all work is done again. */
const CHANGES_MAX = 1000;

/** `work`, which a search that goes on does once for each memory. */
export function onceFor<T>(sequence: number, progress: SearchProgress | undefined, work: () => T): T {
  return progress ? progress.of(sequence, work) : work();
}

/** Thrown by a search that was interrupted: the same search with the same progress goes on. */
export class SearchInterrupted extends Error {}

/**
 * What a search has found out about single memories, such as whether its filter admits them. A search that takes long is
 * interrupted between two memories and made again with what it has found out; the result is that of one search of the
 * state in which it ends.
 */
export class SearchProgress {
  private readonly known = new Map<number, unknown>();
  private readonly nowMs: () => number;
  private namespaceKey = -1;
  private revision = -1;
  private beganMs = 0;
  private untilMs = Number.POSITIVE_INFINITY;

  constructor(nowMs: () => number = () => performance.now()) {
    this.nowMs = nowMs;
  }

  /** Begins a slice; forgets memories that have changed since the last one. Between `begin` and `end` of the source. */
  begin({ entry, revision }: NamespaceState, source: NamespaceSource): void {
    if (entry.key !== this.namespaceKey) this.known.clear();
    if (this.known.size > 0 && revision !== this.revision) this.forgetChanged(entry, source);
    this.namespaceKey = entry.key;
    this.revision = revision;
    this.beganMs = this.nowMs();
    this.untilMs = Number.POSITIVE_INFINITY;
  }

  /** What `work` returns for a memory. Throws `SearchInterrupted` where the slice of time is used up after it. */
  of<T>(sequence: number, work: () => T): T {
    if (this.known.has(sequence)) return this.known.get(sequence) as T;
    if (this.untilMs === Number.POSITIVE_INFINITY) {
      const nowMs = this.nowMs();
      // The search for candidates, which is made anew each time, takes half of the time at most.
      this.untilMs = nowMs + Math.max(SEARCH_SLICE_MS, nowMs - this.beganMs);
    }
    const result = work();
    this.known.set(sequence, result);
    if (this.nowMs() >= this.untilMs) throw new SearchInterrupted();
    return result;
  }

  private forgetChanged({ key, firstKey }: NamespaceState['entry'], source: NamespaceSource): void {
    const changes = source.changes(this.revision, CHANGES_MAX);
    const isWhole = changes.length < CHANGES_MAX && source.compactedRevision() <= this.revision;
    if (!isWhole) this.known.clear();
    for (const change of changes) {
      if (change.namespaceKey !== key) continue;
      if (change.kind === 'namespace_erased') this.known.clear();
      else this.known.delete(change.key - firstKey);
    }
  }
}
