import { bodyBytesOf } from '../memory/checksum.ts';
import type { Change, ChangeLog, ChangePage, LogPlace, LogSource, WatchedNamespace } from './change-log.ts';

/** Entries that one turn reads: some milliseconds' worth. */
const AT_ONCE = { limit: 256, bytesMax: 1_048_576 };

/**
 * Reads the change log once for all who follow it live. Readers pull: each has no more than a revision, so that one who
 * is slow costs nothing and is given from the log what the tail no longer has.
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

  get watchedCount(): number {
    return this.tails.size;
  }

  /** Fails with NAMESPACE_NOT_FOUND, and with STORAGE_UNAVAILABLE where it is not known. */
  async find(name: string): Promise<void> {
    await this.namespaceOf(name);
  }

  /** The tail of a namespace; to be given back with `close`. Fails with NAMESPACE_NOT_FOUND. */
  async open(name: string): Promise<NamespaceTail> {
    const namespace = await this.namespaceOf(name);
    let tail = this.tails.get(namespace.key);
    if (!tail) {
      if (this.tails.size === 0 && !this.reading) this.revision = this.log.revision;
      tail = new NamespaceTail(namespace, this.revision);
      this.tails.set(namespace.key, tail);
      if (this.source) this.kept.set(namespace.key, this.source.keep(name));
      if (this.reading) this.joining.add(tail);
    }
    tail.readerCount++;
    this.wake();
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
   * Resolves when everything that was acknowledged before is in the log. Fails with NAMESPACE_NOT_FOUND and
   * STORAGE_UNAVAILABLE.
   */
  async current(namespace: string): Promise<void> {
    if (!this.source) return;
    await this.namespaceOf(namespace);
    await this.source.reach(namespace, 0);
  }

  /** The revision that a place lies behind. Fails with REVISION_COMPACTED, REVISION_AHEAD, STORAGE_UNAVAILABLE. */
  async revisionAt({ namespace }: NamespaceTail, place: LogPlace): Promise<number> {
    // Changes of another server must be here before they can be found.
    const { log } = await this.log.place(namespace, 0);
    if (log !== place.log) await this.current(namespace.name);
    return this.log.revisionAt(namespace, place);
  }

  /** Brings the log as far as a revision, where that was given to anybody. Fails with STORAGE_UNAVAILABLE. */
  async reach(namespace: string, revision: number): Promise<void> {
    if (revision > this.log.revision) await this.source?.reach(namespace, revision);
  }

  /**
   * What comes after a revision in the namespace of the tail; from the log no more than brings it to so many bytes. Fails with
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
    this.reading ??= this.follow().finally(() => {
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
      // Who has opened it may have come to wait meanwhile for what lies before.
      for (const listener of [...tail.listeners]) listener();
    }
    this.joining.clear();
  }
}

const CHANGES_KEPT = 4096;
const BYTES_KEPT = 4 * 1_048_576;
/** Rough size of a change without the texts and contents that it carries. */
const BYTES_AROUND = 500;

/** The latest changes of one namespace, shared by all who watch it; what has left it is read from the log. */
export class NamespaceTail {
  readonly namespace: WatchedNamespace;
  /** Called when there are new changes. */
  readonly listeners = new Set<() => void>();
  /** What readers of the same request make of the latest changes, by the request; see `watch.ts`. */
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

  /** What comes after a revision, or `undefined` where only the log has it. */
  after(revision: number, limit: number): ChangePage | undefined {
    if (revision < this.afterRevision) return undefined;
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

  /** Lets go of the older half when there is too much. */
  private trim(): void {
    if (this.changes.length <= CHANGES_KEPT && this.bytes <= BYTES_KEPT) return;
    const gone = this.changes.splice(0, Math.ceil(this.changes.length / 2));
    for (const change of gone) this.bytes -= bytesOfChange(change);
    this.afterRevision = gone.at(-1)?.revision ?? this.afterRevision;
  }
}

/** About how much room a change takes, in memory as in a message. */
export function bytesOfChange({ memory, former }: Change): number {
  return BYTES_AROUND + (memory ? bodyBytesOf(memory) : 0) + (former ? bodyBytesOf(former) : 0);
}
