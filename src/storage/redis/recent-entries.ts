import type { MirroredMove } from '../hot-log.ts';
import type { Entry } from '../rules/draft.ts';
import { withoutTail } from './keyspace-entry.ts';
import type { KeyspaceDraft } from './keyspace-state.ts';
import type { LogEntry } from './log-entries.ts';

/** Maximum of all keyspaces together. */
const BYTES_MAX = 32 << 20;
/** Bytes of an entry without its text and its bytes. */
const ENTRY_BYTES = 1000;
const MOVE_BYTES = 500;

export interface Recent {
  readonly entry?: Entry;
  /** Placeholder for a memory that was only moved. */
  readonly move?: MirroredMove;
}

interface Kept extends Recent {
  readonly place: number;
  readonly bytes: number;
}

/**
 * Memories that this server has just written, each with its place in the change log: followers of the log need not read
 * them from Redis. To be called only with complete former states; each is returned once.
 */
export class RecentEntries {
  private readonly kept = new Map<string, Kept>();
  private bytes = 0;

  note(epoch: string, place: number, entry: Entry): void {
    const { text, content, embedding } = entry.memory;
    const bytes = ENTRY_BYTES + 2 * text.length + (content?.data.byteLength ?? 0) + (embedding?.values.byteLength ?? 0);
    this.keep(keyOf(epoch, entry.memory.id), { place, entry: withoutTail(entry), bytes });
  }

  noteMove(epoch: string, place: number, move: MirroredMove): void {
    this.keep(keyOf(epoch, move.id), { place, move, bytes: MOVE_BYTES });
  }

  private keep(key: string, kept: Kept): void {
    this.forget(key);
    this.kept.set(key, kept);
    this.bytes += kept.bytes;
    for (const oldest of this.kept.keys()) {
      if (this.bytes <= BYTES_MAX) break;
      this.forget(oldest);
    }
  }

  /** The memory as after the log entry at this place. */
  take(epoch: string, id: string, place: number): Recent | undefined {
    const key = keyOf(epoch, id);
    const known = this.kept.get(key);
    if (known?.place !== place) return undefined;
    this.forget(key);
    return known;
  }

  /** To be called when Redis has lost writes, as these may be among them. */
  forgetAll(): void {
    this.kept.clear();
    this.bytes = 0;
  }

  private forget(key: string): void {
    const known = this.kept.get(key);
    if (!known) return;
    this.kept.delete(key);
    this.bytes -= known.bytes;
  }
}

function keyOf(epoch: string, id: string): string {
  return `${epoch} ${id}`;
}

const ENTRIES_MAX = 2000;
/** A request may have been sent before the latest writes. */
const STAMPS_MAX = 8;

/** State of a keyspace after a write, and its new log entries. */
export interface WrittenDraft extends Pick<KeyspaceDraft, 'stamp' | 'logEntries' | 'deletion'> {
  readonly state: Pick<KeyspaceDraft['state'], 'stamp'>;
}

/**
 * The end of the change log of a keyspace, while this server alone has written to it: followers of the log need not
 * read these entries from Redis. Entries are dropped once returned.
 */
export class OwnEntries {
  /** Stamps of the keyspace after the latest writes, oldest first: another stamp means other entries, or lost ones. */
  private stamps: string[] = [];
  /** Place of the entry before the first; absent if unknown. */
  private start: string | undefined;
  private entries: LogEntry[] = [];

  /** To be called for every write of this server, in order. */
  note({ state, stamp, logEntries, deletion }: WrittenDraft): void {
    if (state.stamp !== this.stamps.at(-1)) this.begin(undefined);
    this.stamps.push(stamp);
    if (this.stamps.length > STAMPS_MAX) this.stamps.shift();
    // Deletions of all memories have a form of their own.
    if (deletion) this.begin(undefined, this.stamps);
    else for (const entry of logEntries) this.entries.push(entry);
    if (this.entries.length > ENTRIES_MAX) this.drop(this.entries.length - ENTRIES_MAX);
  }

  /** To be called when the log of the keyspace with this stamp ends at a place. */
  endsAt(place: string, stamp: string): void {
    const isKnown = this.start !== undefined || this.entries.length > 0;
    if (!this.stamps.includes(stamp)) this.begin(place, [stamp]);
    else if (!isKnown && stamp === this.stamps.at(-1)) this.start = place;
  }

  /** Whether the entries after a place are cached, if this server has written the end of the log. */
  has(place: string): boolean {
    return this.indexAfter(place) !== undefined;
  }

  /** At most `max` entries after a place; `undefined` where the keyspace has another stamp. */
  takeAfter(place: string, stamp: string, max: number): { entries: readonly LogEntry[]; hasMore: boolean } | undefined {
    const from = this.indexAfter(place);
    if (from === undefined || !this.stamps.includes(stamp)) return undefined;
    const entries = this.entries.slice(from, from + max);
    this.drop(from + entries.length);
    return { entries, hasMore: this.entries.length > 0 };
  }

  private indexAfter(place: string): number | undefined {
    if (place === this.start) return 0;
    const index = this.entries.findLastIndex((entry) => entry.place === place);
    return index < 0 ? undefined : index + 1;
  }

  /** To be called when Redis has lost writes, as these may be among them. */
  forget(): void {
    this.begin(undefined);
  }

  private begin(start: string | undefined, stamps: string[] = []): void {
    this.start = start;
    this.stamps = stamps;
    this.entries = [];
  }

  private drop(count: number): void {
    this.start = this.entries[count - 1]?.place ?? this.start;
    this.entries = this.entries.slice(count);
  }
}
