import type { HotEntry } from '../mirror-store.ts';
import type { RoomDraft } from './room-state.ts';

const ENTRIES_MAX = 2000;

/** What a write has made of the log, which it found to end as `state` tells. */
export interface WrittenDraft extends Pick<RoomDraft, 'ends' | 'told' | 'deletion'> {
  readonly state: Pick<RoomDraft['state'], 'epoch' | 'ends'>;
  readonly rewritten: readonly unknown[];
}

/**
 * The end of the change log of a room as far as this server has written it, with nobody else's entries in between: who follows
 * the log need not read from Redis what this server knows.
 */
export class OwnEntries {
  private epoch = '';
  /** Revision of the entry before the first. */
  private start = 0;
  private entries: HotEntry[] = [];

  /** To be told of every write of this server, in their order. */
  note({ state, ends, told, rewritten, deletion }: WrittenDraft): void {
    const before = state.ends?.log ?? -1;
    if (state.epoch !== this.epoch || before !== this.end) {
      this.epoch = state.epoch;
      this.startAt(before);
    }
    // What memories at home below have become, and deletions of all, are told in a form of their own.
    if (rewritten.length > 0 || deletion) this.startAt(ends?.log ?? -1);
    else this.entries.push(...told);
    if (this.entries.length > ENTRIES_MAX) this.drop(this.entries.length - ENTRIES_MAX);
  }

  /** Whether the entries after a revision are known, if the log ends with what this server has written. */
  has(epoch: string, revision: number): boolean {
    return this.placeAfter(epoch, revision) !== undefined;
  }

  /** Entries after a revision up to the newest one, the last of the log; nothing where it cannot be told. Forgets those before. */
  after(epoch: string, revision: number, end: number): readonly HotEntry[] | undefined {
    const place = this.placeAfter(epoch, revision);
    if (place === undefined || end !== this.end) return undefined;
    this.drop(place);
    return this.entries;
  }

  private placeAfter(epoch: string, revision: number): number | undefined {
    if (epoch !== this.epoch || this.start < 0) return undefined;
    if (revision === this.start) return 0;
    const place = this.entries.findLastIndex((entry) => entry.revision === revision);
    return place < 0 ? undefined : place + 1;
  }

  private get end(): number {
    return this.entries.at(-1)?.revision ?? this.start;
  }

  private startAt(revision: number): void {
    this.start = revision;
    this.entries = [];
  }

  private drop(count: number): void {
    this.start = this.entries[count - 1]?.revision ?? this.start;
    this.entries = this.entries.slice(count);
  }
}
