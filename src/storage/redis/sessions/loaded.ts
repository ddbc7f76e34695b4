import type { Micros } from '../../../memory/memory.ts';
import type { Checkpoint, Entry, Note, SessionRecord } from '../../../memory/session.ts';
import { type LoadedEntry, type LoadedSession, loadedNote, type Wanted } from '../../sessions/loaded-session.ts';
import type { RedisReply } from '../connection.ts';

/** Entries are read with their contents, and notes too. */
const READ_AS: Readonly<Partial<Record<Wanted, Wanted>>> = { K: 'A', X: 'A', V: 'A', Q: 'N' };

/** The parts that Redis reads to have the wanted ones. */
export function inRedis(what: Iterable<Wanted>): Set<Wanted> {
  return new Set([...what].map((each) => READ_AS[each] ?? each));
}

export interface Loaded extends LoadedSession {
  /** The value that the commit compares; '' when there is no session. */
  readonly revision: string;
  /** How often namespaces of the name were deleted; '' for never. */
  readonly deletions: string;
  /** JSON of the outcome of the request id. */
  readonly kept: string | undefined;
}

export function loadedOf(
  reply: RedisReply,
  what: ReadonlySet<Wanted>,
  keys: readonly string[],
  ids: Iterable<string>,
): Loaded {
  const [record, revision, kept, some, all, notes, checkpoints, manifests, packs, deletions] = listOf(reply);
  const has = new Set(what);
  if (has.has('N')) for (const each of ['F', 'Q'] as const) has.add(each);
  if (has.has('A')) for (const each of ['K', 'X', 'V'] as const) has.add(each);
  const entries = new Map<string, LoadedEntry | undefined>();
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
    deletions: Buffer.isBuffer(deletions) ? deletions.toString() : '',
    kept: Buffer.isBuffer(kept) ? kept.toString() : undefined,
    has,
    entries,
    notes: listOf(notes).flatMap((note) => (Buffer.isBuffer(note) ? [loadedNote(decodeNote(note))] : [])),
    checkpoints: new Map(pairsOf(checkpoints).map(([key, body]) => [key, JSON.parse(body.toString()) as Checkpoint])),
    manifests: found,
    packs: new Map(pairsOf(packs).map(([number, data]) => [Number(number), data])),
    packsOf: new Set(has.has('P') ? ids : []),
  };
}

export function storedRecord(json: Buffer): SessionRecord {
  return JSON.parse(json.toString()) as SessionRecord;
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

function framed(head: readonly unknown[], data: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), data]);
}

function parts<H>(stored: Buffer): { head: H; data: Uint8Array } {
  const end = stored.indexOf(LINE_END);
  return { head: JSON.parse(stored.toString('utf8', 0, end)) as H, data: new Uint8Array(stored.subarray(end + 1)) };
}
