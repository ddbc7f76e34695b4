import type { Micros } from '../../../memory/memory.ts';
import type { Checkpoint, Entry, EntryHead, Note, SessionRecord } from '../../../memory/session.ts';
import type { RedisReply } from '../connection.ts';

/** A: all entries. F: the oldest notes, N: all of them. C: checkpoints. H: manifest of the head. P: packs of the checkpoints. */
export type Wanted = 'A' | 'F' | 'N' | 'C' | 'H' | 'P';

/** A write needs data of its session that was not read; it is restarted with this data. */
export class Missing extends Error {
  override readonly name = 'Missing';
  readonly what: Wanted;
  readonly checkpoint: string | undefined;

  constructor(what: Wanted, checkpoint?: string) {
    super(`not read: ${what}`);
    this.what = what;
    this.checkpoint = checkpoint;
  }
}

/** The loaded data of a session, from one instant. */
export interface Loaded {
  readonly record: SessionRecord | undefined;
  /** The value that the commit compares; '' when there is no session. */
  readonly revision: string;
  /** JSON of the outcome of the request id. */
  readonly kept: string | undefined;
  readonly has: Set<Wanted>;
  readonly entries: Map<string, Entry | undefined>;
  notes: Note[];
  readonly checkpoints: Map<string, Checkpoint>;
  readonly manifests: Map<string, Uint8Array | undefined>;
  readonly packs: Map<number, Uint8Array>;
}

export function loadedOf(
  reply: RedisReply,
  what: ReadonlySet<Wanted>,
  keys: readonly string[],
  ids: Iterable<string>,
): Loaded {
  const [record, revision, kept, some, all, notes, checkpoints, manifests, packs] = listOf(reply);
  const has = new Set(what);
  if (has.has('N')) has.add('F');
  const entries = new Map<string, Entry | undefined>();
  listOf(some).forEach((stored, at) => {
    const key = keys[at];
    if (key !== undefined) entries.set(key, Buffer.isBuffer(stored) ? decodeEntry(key, stored) : undefined);
  });
  for (const key of keys) if (!entries.has(key)) entries.set(key, undefined);
  for (const [key, stored] of pairsOf(all)) entries.set(key, decodeEntry(key, stored));
  const found = new Map<string, Uint8Array | undefined>(pairsOf(manifests));
  for (const id of ids) if (!found.has(id)) found.set(id, undefined);
  return {
    record: Buffer.isBuffer(record) ? storedRecord(record) : undefined,
    revision: Buffer.isBuffer(revision) ? revision.toString() : '',
    kept: Buffer.isBuffer(kept) ? kept.toString() : undefined,
    has,
    entries,
    notes: listOf(notes).flatMap((note) => (Buffer.isBuffer(note) ? [decodeNote(note)] : [])),
    checkpoints: new Map(pairsOf(checkpoints).map(([key, body]) => [key, JSON.parse(body.toString()) as Checkpoint])),
    manifests: found,
    packs: new Map(pairsOf(packs).map(([number, data]) => [Number(number), data])),
  };
}

/** Records from before idle timeouts existed lack these fields. */
export function storedRecord(json: Buffer): SessionRecord {
  return { idleTtlUs: 0, ...(JSON.parse(json.toString()) as Omit<SessionRecord, 'idleTtlUs'>) };
}

export function listOf(reply: RedisReply | undefined): readonly RedisReply[] {
  return Array.isArray(reply) ? (reply as readonly RedisReply[]) : [];
}

export function pairsOf(reply: RedisReply | undefined): [string, Buffer][] {
  const flat = listOf(reply);
  const pairs: [string, Buffer][] = [];
  for (let at = 0; at + 1 < flat.length; at += 2) {
    const [key, value] = [flat[at], flat[at + 1]];
    if (Buffer.isBuffer(key) && Buffer.isBuffer(value)) pairs.push([key.toString(), value]);
  }
  return pairs;
}

const LINE_END = 10;

/** A line of JSON, followed by the bytes. */
export function encodeEntry({
  version,
  contentRevision,
  bytes,
  createdAtUs,
  updatedAtUs,
  expiresAtUs,
  content,
}: Entry) {
  const head = [version, contentRevision, bytes, createdAtUs, updatedAtUs, expiresAtUs ?? 0, content.mediaType];
  return framed(head, content.data);
}

export function decodeEntry(key: string, stored: Buffer): Entry {
  const { head, data } = parts<[number, number, number, Micros, Micros, Micros, string]>(stored);
  const [version, contentRevision, bytes, createdAtUs, updatedAtUs, expiresAtUs, mediaType] = head;
  const times = { createdAtUs, updatedAtUs, ...(expiresAtUs === 0 ? {} : { expiresAtUs }) };
  return { key, version, contentRevision, bytes, ...times, content: { mediaType, data } };
}

export function encodeNote({ sequence, atUs, content }: Note): Buffer {
  return framed([sequence, atUs, content.mediaType], content.data);
}

export function decodeNote(stored: Buffer): Note {
  const { head, data } = parts<[number, Micros, string]>(stored);
  const [sequence, atUs, mediaType] = head;
  return { sequence, atUs, content: { mediaType, data } };
}

export function headOf({ content: _, ...head }: Entry): EntryHead {
  return head;
}

function framed(head: readonly unknown[], data: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), data]);
}

function parts<H>(stored: Buffer): { head: H; data: Uint8Array } {
  const end = stored.indexOf(LINE_END);
  return { head: JSON.parse(stored.toString('utf8', 0, end)) as H, data: new Uint8Array(stored.subarray(end + 1)) };
}
