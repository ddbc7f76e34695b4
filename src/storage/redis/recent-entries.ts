import type { MirroredMove } from '../hot-log.ts';
import type { Entry } from '../in-memory/draft.ts';
import { withoutTail } from './room-entry.ts';

/** Of all rooms together. */
const BYTES_MAX = 32 << 20;
/** Of an entry without its text and its bytes. */
const ENTRY_BYTES = 1000;
const MOVE_BYTES = 500;

export interface Recent {
  readonly entry?: Entry;
  /** In its place, where that is all that has become of it. */
  readonly move?: MirroredMove;
}

interface Kept extends Recent {
  readonly place: number;
  readonly bytes: number;
}

/**
 * Memories that this server has just written, each with its place in the change log: who follows the log need not read
 * them back from Redis. To be told only of those whose former states are all there; each is given once.
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

  /** The memory as the entry of the log at that place left it. */
  take(epoch: string, id: string, place: number): Recent | undefined {
    const key = keyOf(epoch, id);
    const known = this.kept.get(key);
    if (known?.place !== place) return undefined;
    this.forget(key);
    return known;
  }

  /** To be called when Redis has lost writes: they may be among these. */
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
