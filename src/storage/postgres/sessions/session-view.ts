import type { Micros } from '../../../memory/memory.ts';
import type { Checkpoint, Entry, EntryHead, Note, SessionChangeKind } from '../../../memory/session.ts';
import type { StoreWrite } from '../../records.ts';
import type { LoadedSession } from '../../sessions/loaded-session.ts';
import { LoadedSessionView } from '../../sessions/loaded-view.ts';
import type { Pack, SessionDraftRecord } from '../../sessions/session-view.ts';
import type { SessionChanges } from './session-changes.ts';

/** A session inside one write: its changes take effect when the write has succeeded. */
export class PostgresSessionView extends LoadedSessionView {
  readonly events: string[] = [];
  readonly remember: (write: StoreWrite) => void;
  private readonly steps: ((changes: SessionChanges) => void)[] = [];

  constructor(loaded: LoadedSession, record: SessionDraftRecord, atUs: Micros, remember: (write: StoreWrite) => void) {
    super(loaded, record, atUs);
    this.remember = remember;
  }

  emit(event: string): void {
    this.events.push(event);
  }
  compact(revision: number): void {
    this.steps.push((changes) => changes.compact(revision));
  }
  /** Adds the changes of the write to those of earlier writes. */
  addTo(changes: SessionChanges): void {
    for (const step of this.steps) step(changes);
  }

  protected saveEntry(entry: Entry): void {
    this.steps.push((changes) => changes.putEntry(entry));
  }
  protected saveTimes(head: EntryHead): void {
    this.steps.push((changes) => changes.setTimes(head));
  }
  protected dropEntry(key: string): void {
    this.steps.push((changes) => changes.dropEntry(key));
  }
  protected dropEntries(): void {
    this.steps.push((changes) => changes.dropEntries());
  }
  protected saveNotes(notes: readonly Note[]): void {
    this.steps.push((changes) => changes.appendNotes(notes));
  }
  protected dropNotes(from: number, to: number): void {
    this.steps.push((changes) => changes.dropNotes(from, to));
  }
  protected saveCheckpoint(checkpoint: Checkpoint): void {
    this.steps.push((changes) => changes.putCheckpoint(checkpoint));
  }
  protected saveBody(id: string, manifest: Uint8Array, packs: readonly Pack[]): void {
    this.steps.push((changes) => changes.putBody(id, manifest, packs));
  }
  protected dropCheckpoint(id: string, packs: readonly number[]): void {
    this.steps.push((changes) => changes.dropCheckpoint(id, packs));
  }
  protected saveChange(part: number, kind: SessionChangeKind, key: string): void {
    const change = { revision: this.record.revision, part, kind, key, at_us: this.atUs };
    this.steps.push((changes) => changes.append(change));
  }
}
