import { crc32 } from 'node:zlib';
import { isDamage } from '../../memory/errors.ts';
import type { MemoryView } from '../../memory/memory.ts';
import { hasChecksum, vectorFromBytes, vectorToBytes } from '../../memory/resolution/plain-vector.ts';
import type { Entry } from '../in-memory/draft.ts';
import { readBody, tailOf } from './entry-body.ts';
import { type Head, layOut, readLayout } from './entry-layout.ts';
import type { RoomEntry } from './room-entry.ts';

/**
 * Strings of a memory: `entry` has all but the vector, and but a body that is long, which lie beside it. That is: how it is
 * laid out; CRC-32 of all that follows; length of the fields; CRC-32 of these; the fields (`entry-layout.ts`); the body
 * (`entry-body.ts`), or the CRC-32 of the one beside it.
 */
export interface EntryStrings {
  readonly entry: Buffer;
  readonly body?: Buffer | undefined;
  readonly vector?: Buffer | undefined;
}

type ReadStrings = { readonly [K in keyof EntryStrings]?: Buffer | undefined };

/** `sums`: the fields, with checksums of all else in them, and what the vector ends with. */
export type RowView = MemoryView | 'sums';

/** Where the body is. */
const WITHIN = 2;
const BESIDE = 3;
const CHECKED_FROM = 5;
const HEAD_CHECKED_FROM = 13;
/** A longer body is not read with the fields, and not written with them. */
const BODY_WITHIN_BYTES_MAX = 8192;
const SUM_BYTES = 4;

/** The strings of an entry; of one that was there before those that are other than before. */
export function encodeEntry(entry: Entry, before?: RoomEntry): EntryStrings {
  const { embedding } = entry.memory;
  const whole = before?.isDamaged ? undefined : before;
  const kept = whole?.tail && hasSameBody(whole, entry) ? whole.tail : undefined;
  const tail = kept ?? tailOf(entry);
  const isBeside = kept ? whole?.isBodyBeside === true : tail.length > BODY_WITHIN_BYTES_MAX;
  const isSameVector = whole !== undefined && whole.memory.embedding === embedding;
  return {
    entry: entryBytes(layOut(entry), isBeside && !kept ? sumOf(tail) : tail, isBeside ? BESIDE : WITHIN),
    ...(isBeside && !kept && { body: tail }),
    ...(!isSameVector && embedding && { vector: vectorToBytes(embedding.values) }),
  };
}

/** Whether an entry has its body beside it. */
export function isBesideIn(entry: Buffer): boolean {
  return entry[0] === BESIDE;
}

function entryBytes(head: string, tail: Buffer, form: number): Buffer {
  const headBytes = Buffer.byteLength(head);
  const bytes = Buffer.allocUnsafe(HEAD_CHECKED_FROM + headBytes + tail.length);
  const end = HEAD_CHECKED_FROM + headBytes;
  bytes.write(head, HEAD_CHECKED_FROM);
  tail.copy(bytes, end);
  bytes[0] = form;
  bytes.writeUInt32LE(headBytes, CHECKED_FROM);
  bytes.writeUInt32LE(crc32(bytes.subarray(HEAD_CHECKED_FROM, end)), HEAD_CHECKED_FROM - SUM_BYTES);
  bytes.writeUInt32LE(crc32(bytes.subarray(CHECKED_FROM)), 1);
  return bytes;
}

function sumOf(bytes: Buffer): Buffer {
  const sum = Buffer.allocUnsafe(SUM_BYTES);
  sum.writeUInt32LE(crc32(bytes));
  return sum;
}

/** Objects are replaced, never changed: what is the same object has the same bytes. */
function hasSameBody(before: Entry, after: Entry): boolean {
  const [one, other] = [before.memory, after.memory];
  return one.text === other.text && one.content === other.content && before.resolution === after.resolution;
}

/**
 * What can be read of an entry in a view, without former states: where its bytes are damaged all but these, and nothing
 * where its fields are.
 */
export function decodeEntry(namespace: string, strings: ReadStrings, view: RowView): RoomEntry | undefined {
  const { entry: bytes, body } = strings;
  if (!bytes || bytes.length < HEAD_CHECKED_FROM || (bytes[0] !== WITHIN && bytes[0] !== BESIDE)) return undefined;
  const end = HEAD_CHECKED_FROM + bytes.readUInt32LE(CHECKED_FROM);
  const isWhole = crc32(bytes.subarray(CHECKED_FROM)) === bytes.readUInt32LE(1);
  if (!isWhole && !isHeadWhole(bytes, end)) return undefined;
  const laid = bytes.toString('utf8', HEAD_CHECKED_FROM, end);
  const head = readLayout(namespace, laid);
  const { entry } = head;
  entry.tail = bytes.subarray(end);
  if (bytes[0] === BESIDE) entry.isBodyBeside = true;
  if (view !== 'full' && head.model !== undefined) entry.embeddingModel = head.model;
  if (view === 'sums') entry.sums = { laid, vectorTail: strings.vector };
  if (isWhole && (view === 'metadata' || view === 'sums')) return entry;
  const whole = entry.isBodyBeside ? besideOf(entry.tail, body) : entry.tail;
  if (!isWhole || !whole || !takeIn(head, whole, view === 'full', strings.vector)) entry.isDamaged = true;
  return entry;
}

function isHeadWhole(bytes: Buffer, end: number): boolean {
  if (end > bytes.length) return false;
  return crc32(bytes.subarray(HEAD_CHECKED_FROM, end)) === bytes.readUInt32LE(HEAD_CHECKED_FROM - SUM_BYTES);
}

/** The body beside an entry, if it is the one that the entry was written with. */
function besideOf(sum: Buffer, body: Buffer | undefined): Buffer | undefined {
  return body && sum.equals(sumOf(body)) ? body : undefined;
}

/** False where they are damaged, and then the memory gets none of them. */
function takeIn({ entry, mediaType, model }: Head, body: Buffer, isFull: boolean, vector: Buffer | undefined): boolean {
  const { memory } = entry;
  try {
    const { text, content } = readBody(body, mediaType);
    if (isFull && model !== undefined) {
      // All that are kept here have one.
      if (!vector || !hasChecksum(vector)) return false;
      memory.embedding = { model, values: vectorFromBytes(vector) };
    }
    memory.text = text;
    if (content) memory.content = content;
    return true;
  } catch (error) {
    if (!isDamage(error)) throw error;
    return false;
  }
}
