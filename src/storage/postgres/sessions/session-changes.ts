import type { Checkpoint, Entry, EntryHead, Note } from '../../../memory/session.ts';
import type { Pack } from '../../sessions/session-view.ts';
import type { SessionChangeTable } from './session-schema.ts';

export type LoggedChange = Omit<SessionChangeTable, 'session_key'>;

/** Changes of the rows of one session by several writes: of each row, the last state. Deletions come first. */
export class SessionChanges {
  /** All entries that are not in `entries` are deleted. */
  clearsEntries = false;
  readonly entries = new Map<string, Entry>();
  /** Entries with other times only. */
  readonly times = new Map<string, EntryHead>();
  readonly droppedKeys = new Set<string>();
  readonly notes = new Map<number, Note>();
  readonly droppedNotes: { readonly from: number; readonly to: number }[] = [];
  readonly checkpoints = new Map<string, Checkpoint>();
  readonly manifests = new Map<string, Uint8Array>();
  readonly packs = new Map<number, Uint8Array>();
  readonly droppedCheckpoints = new Set<string>();
  readonly droppedPacks = new Set<number>();
  log: LoggedChange[] = [];
  compactedRevision = 0;

  putEntry(entry: Entry): void {
    this.times.delete(entry.key);
    this.entries.set(entry.key, entry);
  }
  setTimes(head: EntryHead): void {
    const written = this.entries.get(head.key);
    if (written) this.entries.set(head.key, { ...head, content: written.content });
    else this.times.set(head.key, head);
  }
  dropEntry(key: string): void {
    this.entries.delete(key);
    this.times.delete(key);
    this.droppedKeys.add(key);
  }
  dropEntries(): void {
    this.entries.clear();
    this.times.clear();
    this.droppedKeys.clear();
    this.clearsEntries = true;
  }

  appendNotes(notes: readonly Note[]): void {
    for (const note of notes) this.notes.set(note.sequence, note);
  }
  dropNotes(from: number, to: number): void {
    for (const sequence of this.notes.keys()) if (sequence >= from && sequence <= to) this.notes.delete(sequence);
    this.droppedNotes.push({ from, to });
  }

  putCheckpoint(checkpoint: Checkpoint): void {
    this.checkpoints.set(checkpoint.id, checkpoint);
  }
  putBody(id: string, manifest: Uint8Array, packs: readonly Pack[]): void {
    this.manifests.set(id, manifest);
    for (const { number, data } of packs) this.packs.set(number, data);
  }
  dropCheckpoint(id: string, packs: readonly number[]): void {
    this.checkpoints.delete(id);
    this.manifests.delete(id);
    this.droppedCheckpoints.add(id);
    for (const number of packs) {
      this.packs.delete(number);
      this.droppedPacks.add(number);
    }
  }

  append(change: LoggedChange): void {
    this.log.push(change);
  }
  /** Drops the changes up to a revision. */
  compact(revision: number): void {
    this.compactedRevision = revision;
    this.log = this.log.filter((change) => change.revision > revision);
  }
}
