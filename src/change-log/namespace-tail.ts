import { bodyBytesOf } from '../memory/body-bytes.ts';
import type { Change, ChangePage, WatchedNamespace } from './change-log.ts';

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
