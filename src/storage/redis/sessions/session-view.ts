import type { Micros } from '../../../memory/memory.ts';
import type { Checkpoint, Entry, EntryHead, Note, SessionChangeKind } from '../../../memory/session.ts';
import type { LoadedEntry } from '../../sessions/loaded-session.ts';
import { LoadedSessionView } from '../../sessions/loaded-view.ts';
import type { Pack, SessionDraftRecord } from '../../sessions/session-view.ts';
import type { RedisArgument } from '../connection.ts';
import { encodeEntry, encodeNote, type Loaded } from './loaded.ts';
import type { SessionKeys } from './session-keys.ts';

type Command = readonly RedisArgument[];

/** A session inside a write, with the commands for its changes. */
export class RedisSessionView extends LoadedSessionView {
  readonly commands: Command[] = [];
  /** Earliest expiry among the written values. */
  dueAtUs = Number.POSITIVE_INFINITY;
  private readonly keys: SessionKeys;

  constructor(keys: SessionKeys, loaded: Loaded, record: SessionDraftRecord, atUs: Micros) {
    super(loaded, record, atUs);
    this.keys = keys;
  }

  emit(event: string): void {
    this.add('EVENT', this.keys.events, this.keys.eventEnds, `${this.atUs}`, event);
  }

  due(atUs: Micros | undefined): void {
    if (atUs !== undefined) this.dueAtUs = Math.min(this.dueAtUs, atUs);
  }

  add(...command: RedisArgument[]): void {
    this.commands.push(command);
  }

  protected saveEntry(entry: Entry): void {
    const { key, expiresAtUs } = entry;
    this.add('HSET', this.keys.entries, key, encodeEntry(entry));
    if (expiresAtUs === undefined) this.add('ZREM', this.keys.expiries, key);
    else this.add('ZADD', this.keys.expiries, `${expiresAtUs}`, key);
    this.due(expiresAtUs);
  }
  protected saveTimes(head: EntryHead, { content }: LoadedEntry): void {
    if (!content) throw new Error('Redis reads entries with their contents');
    this.saveEntry({ ...head, content });
  }
  protected dropEntry(key: string): void {
    this.add('HDEL', this.keys.entries, key);
    this.add('ZREM', this.keys.expiries, key);
  }
  protected dropEntries(): void {
    this.add('UNLINK', this.keys.entries, this.keys.expiries);
  }
  protected saveNotes(notes: readonly Note[]): void {
    for (const note of notes) this.add('ZADD', this.keys.notes, `${note.sequence}`, encodeNote(note));
  }
  protected dropNotes(from: number, to: number): void {
    this.add('ZREMRANGEBYSCORE', this.keys.notes, `${from}`, `${to}`);
  }
  protected saveCheckpoint(checkpoint: Checkpoint): void {
    this.add('HSET', this.keys.checkpoints, checkpoint.id, JSON.stringify(checkpoint));
    this.due(checkpoint.expiresAtUs);
  }
  protected saveBody(id: string, manifest: Uint8Array, packs: readonly Pack[]): void {
    this.add('HSET', this.keys.manifests, id, Buffer.from(manifest));
    for (const { number, data } of packs) this.add('HSET', this.keys.packs, `${number}`, Buffer.from(data));
  }
  protected dropCheckpoint(id: string, packs: readonly number[]): void {
    this.add('HDEL', this.keys.checkpoints, id);
    this.add('HDEL', this.keys.manifests, id);
    for (const number of packs) this.add('HDEL', this.keys.packs, `${number}`);
  }
  protected saveChange(part: number, kind: SessionChangeKind, key: string): void {
    const { revision } = this.record;
    // The part comes first, so that changes of one revision keep their order in the set.
    const change = [String(part).padStart(8, '0'), revision, kind, key, this.atUs];
    this.add('ZADD', this.keys.changes, `${revision}`, JSON.stringify(change));
  }
}
