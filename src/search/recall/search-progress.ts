import { SEARCH_SLICE_MS } from '../../memory/slices.ts';
import { grown } from './grown.ts';
import type { NamespaceSource } from './namespace-source.ts';
import type { NamespaceState } from './namespace-state.ts';

/** Changes that are looked at one by one; after more of them, all work is done again. */
const CHANGES_MAX = 1000;

/** Results that take one byte each: a search over a million memories keeps a million of them. */
const COMMON_RESULTS: readonly unknown[] = [false, undefined, true];
/** Kinds of results, a byte each: none, the common ones by their place from 1, and a result in `others`. */
const UNKNOWN = 0;
const OTHER = COMMON_RESULTS.length + 1;

/** The result of `work` for a memory. A search with progress does the work once, however often it is interrupted. */
export function remembered<T>(sequence: number, progress: SearchProgress | undefined, work: () => T): T {
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
  private kinds = new Uint8Array(0);
  private readonly others = new Map<number, unknown>();
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
    if (entry.key !== this.namespaceKey) this.forgetAll();
    if (this.kinds.length > 0 && revision !== this.revision) this.forgetChanged(entry, source);
    this.namespaceKey = entry.key;
    this.revision = revision;
    this.beganMs = this.nowMs();
    this.untilMs = Number.POSITIVE_INFINITY;
  }

  /** What `work` returns for a memory. Throws `SearchInterrupted` where the slice of time is used up after it. */
  of<T>(sequence: number, work: () => T): T {
    const kind = this.kinds[sequence] ?? UNKNOWN;
    if (kind !== UNKNOWN) return (kind === OTHER ? this.others.get(sequence) : COMMON_RESULTS[kind - 1]) as T;
    if (this.untilMs === Number.POSITIVE_INFINITY) {
      const nowMs = this.nowMs();
      // The search for candidates, which is made anew each time, takes half of the time at most.
      this.untilMs = nowMs + Math.max(SEARCH_SLICE_MS, nowMs - this.beganMs);
    }
    const result = work();
    this.keep(sequence, result);
    if (this.nowMs() >= this.untilMs) throw new SearchInterrupted();
    return result;
  }

  private keep(sequence: number, result: unknown): void {
    if (sequence >= this.kinds.length) {
      this.kinds = grown(this.kinds, new Uint8Array(Math.ceil((sequence + 1) * 1.5)));
    }
    const kind = COMMON_RESULTS.indexOf(result) + 1;
    this.kinds[sequence] = kind === UNKNOWN ? OTHER : kind;
    if (kind === UNKNOWN) this.others.set(sequence, result);
  }

  private forgetAll(): void {
    this.kinds.fill(UNKNOWN);
    this.others.clear();
  }

  private forgetChanged({ key, firstKey }: NamespaceState['entry'], source: NamespaceSource): void {
    const changes = source.changes(this.revision, CHANGES_MAX);
    const isWhole = changes.length < CHANGES_MAX && source.compactedRevision() <= this.revision;
    if (!isWhole) this.forgetAll();
    for (const change of changes) {
      if (change.namespaceKey !== key) continue;
      const sequence = change.key - firstKey;
      if (change.kind === 'namespace_erased') this.forgetAll();
      else if (sequence < this.kinds.length) this.kinds[sequence] = UNKNOWN;
    }
  }
}
