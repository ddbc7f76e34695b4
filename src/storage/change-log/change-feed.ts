import { bodyBytesOf } from '../../memory/checksum.ts';
import { outsideSpans } from '../../search/threads/span.ts';
import type { Change, ChangeLog, ChangePage, LogPlace, LogSource, WatchedNamespace } from './change-log.ts';

/** Maximum entries of one read: some milliseconds of work. */
const AT_ONCE = { limit: 256, bytesMax: 1_048_576 };

/**
 * Reads the change log once for all live followers. Followers pull: each stores only a revision, so that a slow
 * follower costs nothing and reads from the log what is no longer in the tail.
 */
export class ChangeFeed {
  readonly log: ChangeLog;
  private readonly tails = new Map<number, NamespaceTail>();
  /** Wait for the read in hand to end, because it began without them. */
  private readonly joining = new Set<NamespaceTail>();
  private readonly onFault: (error: unknown) => void;
  private readonly source: LogSource | undefined;
  private readonly kept = new Map<number, () => void>();
  private readonly ignoreCommits: () => void;
  private revision = 0;
  private reading: Promise<void> | undefined;
  private isClosed = false;

  /** `onFault` is called when the log could not be read; the next commit tries again. `source`: absent when the log is all. */
  constructor(log: ChangeLog, onFault: (error: unknown) => void, source?: LogSource) {
    this.log = log;
    this.source = source;
    this.onFault = onFault;
    this.ignoreCommits = log.onCommit(() => this.wake());
  }

  /** Fails with NAMESPACE_NOT_FOUND, and with STORAGE_UNAVAILABLE where it is not known. */
  async find(name: string): Promise<void> {
    await this.namespaceOf(name);
  }

  /** The tail of a namespace; release it with `close`. Fails with NAMESPACE_NOT_FOUND. */
  async open(name: string): Promise<NamespaceTail> {
    // From before it is looked up: the log must not lose it in between.
    const leave = this.source?.keep(name);
    try {
      const namespace = await this.namespaceOf(name);
      let tail = this.tails.get(namespace.key);
      if (!tail) {
        tail = this.newTail(namespace);
        this.kept.set(namespace.key, this.source?.keep(name) ?? (() => undefined));
      }
      tail.readerCount++;
      this.wake();
      return tail;
    } finally {
      leave?.();
    }
  }

  private newTail(namespace: WatchedNamespace): NamespaceTail {
    if (this.tails.size === 0 && !this.reading) this.revision = this.log.revision;
    const tail = new NamespaceTail(namespace, this.revision);
    this.tails.set(namespace.key, tail);
    if (this.reading) this.joining.add(tail);
    return tail;
  }

  close(tail: NamespaceTail): void {
    if (--tail.readerCount > 0) return;
    this.tails.delete(tail.namespace.key);
    this.joining.delete(tail);
    this.kept.get(tail.namespace.key)?.();
    this.kept.delete(tail.namespace.key);
  }

  /**
   * Resolves when every write acknowledged before the call is in the log. Fails with NAMESPACE_NOT_FOUND and
   * STORAGE_UNAVAILABLE.
   */
  async current(namespace: string): Promise<void> {
    if (!this.source) return;
    await this.namespaceOf(namespace);
    await this.source.reach(namespace, 0);
  }

  /** The revision after which a place lies. Fails with REVISION_COMPACTED, REVISION_AHEAD, STORAGE_UNAVAILABLE. */
  async revisionAt({ namespace }: NamespaceTail, place: LogPlace): Promise<number> {
    // Changes of another server must be here before they can be found.
    const { log } = await this.log.place(namespace, 0);
    if (log !== place.log) await this.current(namespace.name);
    return this.log.revisionAt(namespace, place);
  }

  /** Waits until the log contains a revision that was acknowledged to a caller. Fails with STORAGE_UNAVAILABLE. */
  async reach(namespace: string, revision: number): Promise<void> {
    if (revision > this.log.revision) await this.source?.reach(namespace, revision);
  }

  /**
   * Changes after a revision in the tail's namespace; a read of the log stops at `bytesMax`. Fails with
   * REVISION_COMPACTED.
   */
  async read(tail: NamespaceTail, afterRevision: number, limit: number, bytesMax: number): Promise<ChangePage> {
    return (
      tail.after(afterRevision, limit) ??
      (await this.log.readChanges({ namespace: tail.namespace, afterRevision, limit, bytesMax }))
    );
  }

  async stop(): Promise<void> {
    this.isClosed = true;
    this.ignoreCommits();
    await this.reading;
  }

  /** A namespace that only the other store has is made here. */
  private async namespaceOf(name: string): Promise<WatchedNamespace> {
    await this.source?.adopt(name);
    return this.log.watchedNamespace(name);
  }

  private wake(): void {
    if (this.isClosed || this.tails.size === 0) return;
    this.reading ??= outsideSpans(() => this.follow()).finally(() => {
      this.reading = undefined;
      this.letIn();
    });
  }

  private async follow(): Promise<void> {
    try {
      while (!this.isClosed && this.tails.size > 0 && this.revision < this.log.revision) {
        await this.readOnce();
        await new Promise(setImmediate);
      }
    } catch (error) {
      if (!this.isClosed) this.onFault(error);
    }
  }

  private async readOnce(): Promise<void> {
    const present = [...this.tails.values()].filter((tail) => !this.joining.has(tail));
    const namespaces = new Map(present.map(({ namespace }) => [namespace.key, namespace.name]));
    const page = await this.log.readTail({ namespaces, afterRevision: this.revision, ...AT_ONCE });
    this.revision = Math.max(page.throughRevision, this.revision);
    for (const tail of present) tail.append(page.changes.get(tail.namespace.key) ?? [], this.revision);
    this.letIn();
  }

  private letIn(): void {
    for (const tail of this.joining) {
      tail.afterRevision = this.revision;
      tail.throughRevision = this.revision;
      // The opener may already be waiting for earlier changes.
      for (const listener of [...tail.listeners]) listener();
    }
    this.joining.clear();
  }
}

const CHANGES_KEPT = 4096;
const BYTES_KEPT = 4 * 1_048_576;
/** Rough size of a change without the texts and contents that it carries. */
const BYTES_AROUND = 500;

/** The latest changes of one namespace, shared by all its watchers; older changes are read from the log. */
export class NamespaceTail {
  readonly namespace: WatchedNamespace;
  /** Called when there are new changes. */
  readonly listeners = new Set<() => void>();
  /** Results that readers of the same request share, by request; see `watch.ts`. */
  readonly shared = new Map<string, unknown>();
  /** All changes after this revision, up to `throughRevision`, are here. */
  afterRevision: number;
  throughRevision: number;
  readerCount = 0;
  private changes: Change[] = [];
  private bytes = 0;

  constructor(namespace: WatchedNamespace, revision: number) {
    this.namespace = namespace;
    this.afterRevision = revision;
    this.throughRevision = revision;
  }

  append(changes: readonly Change[], throughRevision: number): void {
    this.throughRevision = throughRevision;
    if (changes.length === 0) return;
    for (const change of changes) {
      this.changes.push(change);
      this.bytes += bytesOfChange(change);
    }
    this.trim();
    for (const listener of [...this.listeners]) listener();
  }

  /** Whether only the log has the changes after a revision. */
  isBefore(revision: number): boolean {
    return revision < this.afterRevision;
  }

  /** Changes after a revision, or `undefined` where only the log has them. */
  after(revision: number, limit: number): ChangePage | undefined {
    if (this.isBefore(revision)) return undefined;
    const from = this.placeAfter(revision);
    const changes = this.changes.slice(from, from + limit);
    const isAll = from + changes.length === this.changes.length;
    const last = changes.at(-1)?.revision ?? revision;
    return { changes, throughRevision: isAll ? Math.max(revision, this.throughRevision) : last };
  }

  private placeAfter(revision: number): number {
    let [low, high] = [0, this.changes.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.changes[middle]?.revision ?? 0) <= revision) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Drops the older half when the tail is too large. */
  private trim(): void {
    if (this.changes.length <= CHANGES_KEPT && this.bytes <= BYTES_KEPT) return;
    const gone = this.changes.splice(0, Math.ceil(this.changes.length / 2));
    for (const change of gone) this.bytes -= bytesOfChange(change);
    this.afterRevision = gone.at(-1)?.revision ?? this.afterRevision;
  }
}

/** Approximate size of a change in bytes, in memory and in a message. */
export function bytesOfChange({ memory, former }: Change): number {
  return BYTES_AROUND + (memory ? bodyBytesOf(memory) : 0) + (former ? bodyBytesOf(former) : 0);
}
