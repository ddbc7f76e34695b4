import { crc32 } from 'node:zlib';
import { isDamage, MnemeError } from '../../memory/errors.ts';
import { type Content, type Memory, type MemoryView, type Micros, type Place, TIERS } from '../../memory/memory.ts';
import { isNowhere } from '../../memory/place.ts';
import { lowerBody, restoreBody } from '../../memory/resolution/lower-body.ts';
import { hasChecksum, vectorFromBytes, vectorToBytes } from '../../memory/resolution/plain-vector.ts';
import type { CompactionRecord, Resolution } from '../../memory/resolution/resolution.ts';
import type { EmbeddingState } from '../embedding-state.ts';
import type { PastState } from '../memory-store.ts';
import type { Entry } from '../rules/draft.ts';
import type { KeyspaceEntry } from './keyspace-entry.ts';

/**
 * Strings of a memory: `entry` holds all but the vector and a long body, which have strings of their own. Its parts:
 * format; CRC-32 of the following parts; length of the fields; CRC-32 of the fields; the fields (`entry-layout.ts`);
 * the body (`entry-body.ts`), or the CRC-32 of its own string.
 */
export interface EntryStrings {
  readonly entry: Buffer;
  readonly body?: Buffer | undefined;
  readonly vector?: Buffer | undefined;
}

type ReadStrings = { readonly [K in keyof EntryStrings]?: Buffer | undefined };

/** `sums`: the fields, with all checksums, and the last bytes of the vector. */
export type RowView = MemoryView | 'sums';

/** Place of the body. */
const WITHIN = 2;
const BESIDE = 3;
const CHECKED_FROM = 5;
const HEAD_CHECKED_FROM = 13;
/** A longer body has a string of its own, so that reads and writes of the fields skip it. */
const BODY_WITHIN_BYTES_MAX = 8192;
const SUM_BYTES = 4;

/** The strings of an entry; for an existing entry, only the changed ones. */
export function encodeEntry(entry: Entry, before?: KeyspaceEntry): EntryStrings {
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

/** Whether the body of an entry has a string of its own. */
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

/** Objects are immutable: the same object has the same bytes. */
function hasSameBody(before: Entry, after: Entry): boolean {
  const [one, other] = [before.memory, after.memory];
  return one.text === other.text && one.content === other.content && before.resolution === after.resolution;
}

/**
 * The readable part of an entry in a view, without former states: all but its damaged bytes, and nothing where the
 * fields are damaged.
 */
export function decodeEntry(namespace: string, strings: ReadStrings, view: RowView): KeyspaceEntry | undefined {
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

/** The separate body of an entry, if it matches the entry's checksum. */
function besideOf(sum: Buffer, body: Buffer | undefined): Buffer | undefined {
  return body && sum.equals(sumOf(body)) ? body : undefined;
}

/** False where the bytes are damaged; the memory then gets none. */
function takeIn({ entry, mediaType, model }: Head, body: Buffer, isFull: boolean, vector: Buffer | undefined): boolean {
  const { memory } = entry;
  try {
    const { text, content } = readBody(body, mediaType);
    if (isFull && model !== undefined) {
      // Every stored vector has a checksum.
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

/** Form of the bytes after the text: the plain content, or text and content as packed by a lower tier. */
const PLAIN = 0;
const PACKED = 1;
const TEXT_FROM = 5;

interface ReadBody {
  readonly text: string;
  readonly content?: Content;
}

/**
 * Text and content of a memory in one buffer: a byte for the form of the content, the length of the text in bytes,
 * text, content.
 */
function tailOf({ memory: { text, content }, resolution }: Entry): Buffer {
  if (!resolution) return laid(PLAIN, text, content?.data);
  const body = lowerBody(content ? { text, content } : { text }, resolution);
  return body.packed ? laid(PACKED, body.text, body.packed) : laid(PLAIN, body.text, body.content?.data);
}

function laid(kind: number, text: string, data: Uint8Array | undefined): Buffer {
  const textBytes = Buffer.byteLength(text);
  const bytes = Buffer.allocUnsafe(TEXT_FROM + textBytes + (data?.byteLength ?? 0));
  bytes[0] = kind;
  bytes.writeUInt32LE(textBytes, 1);
  bytes.write(text, TEXT_FROM);
  if (data) bytes.set(data, TEXT_FROM + textBytes);
  return bytes;
}

/** Fails with CHECKSUM_MISMATCH on detectably damaged bytes. The content is a view of them. */
function readBody(bytes: Buffer, mediaType: string | undefined): ReadBody {
  const end = bytes.length < TEXT_FROM ? Number.POSITIVE_INFINITY : TEXT_FROM + bytes.readUInt32LE(1);
  if (end > bytes.length)
    throw new MnemeError('CHECKSUM_MISMATCH', 'stored memory body is shorter than its header says');
  const text = bytes.toString('utf8', TEXT_FROM, end);
  if (bytes[0] === PACKED) return restoreBody({ text, packed: bytes.subarray(end) });
  return mediaType === undefined ? { text } : { text, content: { mediaType, data: bytes.subarray(end) } };
}

const STATES: readonly EmbeddingState[] = ['none', 'pending', 'there'];
const CHANGES: readonly PastState['change'][] = ['stored', 'updated'];

/**
 * An array without names, which would be half of the bytes; 0 stands for absent or empty values, and times are relative
 * to the creation: a flat array of short numbers is parsed in two thirds of the time.
 */
type Layout = readonly [
  id: string,
  type: string,
  scope: readonly [project: string, agentType: string, agent: string, session: string] | 0,
  source: readonly [speaker: string, uri: string, origin: string] | 0,
  tags: readonly string[] | 0,
  textDerived: 0 | 1,
  createdAtUs: number,
  eventAfterUs: Offset,
  updatedAfterUs: Offset,
  tierSinceAfterUs: Offset,
  notBeforeAfterUs: Offset,
  importance: number,
  priority: number,
  retrievalCount: number,
  tier: number,
  checksum: string,
  revision: number,
  sequence: number,
  vector: number,
  attempts: number,
  change: number,
  mediaType: string | 0,
  model: string | 0,
  rest: Rest | 0,
];

/** Fields that most memories lack. */
interface Rest {
  readonly step?: number;
  readonly place?: Place;
  readonly expiresAtUs?: number;
  readonly validFromUs?: number;
  readonly validUntilUs?: number;
  readonly supersededBy?: string;
  readonly lastAccessedAtUs?: number;
  readonly compaction?: CompactionRecord;
  readonly resolution?: Resolution;
}

type Open<T> = { -readonly [K in keyof T]: T[K] };
/** An entry without the bytes of its memory. */
export type OpenEntry = Open<Omit<KeyspaceEntry, 'memory'>> & { readonly memory: Open<Memory> };

/** JSON of an entry without its bytes, its text and its former states. */
export function layOut({ memory, ...entry }: KeyspaceEntry): string {
  const { scope, source, tags, createdAtUs } = memory;
  const { project, agentType, agent, session } = scope;
  const { speaker, uri, origin } = source;
  const layout: Layout = [
    memory.id,
    memory.type,
    project || agentType || agent || session ? [project, agentType, agent, session] : 0,
    speaker || uri || origin ? [speaker, uri, origin] : 0,
    tags.length > 0 ? tags : 0,
    memory.textDerived ? 1 : 0,
    createdAtUs,
    offsetOf(memory.eventAtUs, createdAtUs),
    offsetOf(memory.updatedAtUs, createdAtUs),
    offsetOf(entry.tierSinceUs, createdAtUs),
    offsetOf(entry.notBeforeUs, createdAtUs),
    memory.importance,
    memory.priority,
    memory.retrievalCount,
    TIERS.indexOf(memory.tier),
    memory.checksum,
    memory.revision,
    entry.sequence,
    STATES.indexOf(entry.state),
    entry.attempts,
    CHANGES.indexOf(entry.change),
    // An empty name is stored too: it means that there is a content.
    memory.content ? memory.content.mediaType : 0,
    memory.embedding?.model ?? entry.embeddingModel ?? 0,
    restOf(memory, entry.resolution) ?? 0,
  ];
  return JSON.stringify(layout);
}

/** The time since an instant; the other instant itself, as a text, where a double does not hold that time. */
type Offset = number | string;

function offsetOf(atUs: Micros, sinceUs: Micros): Offset {
  const us = atUs - sinceUs;
  return sinceUs + us === atUs ? us : `${atUs}`;
}

function instantOf(offset: Offset, sinceUs: Micros): Micros {
  return typeof offset === 'string' ? Number(offset) : sinceUs + offset;
}

function restOf(memory: Memory, resolution: Resolution | undefined): Rest | undefined {
  const { step, place, expiresAtUs, validFromUs, validUntilUs, supersededBy, lastAccessedAtUs, compaction } = memory;
  const rest: Open<Rest> = {};
  if (step !== undefined) rest.step = step;
  if (place && !isNowhere(place)) rest.place = place;
  if (expiresAtUs !== undefined) rest.expiresAtUs = expiresAtUs;
  if (validFromUs !== undefined) rest.validFromUs = validFromUs;
  if (validUntilUs !== undefined) rest.validUntilUs = validUntilUs;
  if (supersededBy !== undefined) rest.supersededBy = supersededBy;
  if (lastAccessedAtUs !== undefined) rest.lastAccessedAtUs = lastAccessedAtUs;
  if (compaction) rest.compaction = compaction;
  if (resolution) rest.resolution = resolution;
  for (const _ in rest) return rest;
  return undefined;
}

/** The fields of an entry before its bytes are read. */
interface Head {
  readonly entry: OpenEntry;
  readonly mediaType: string | undefined;
  readonly model: string | undefined;
}

function readLayout(namespace: string, json: string): Head {
  const layout = JSON.parse(json) as Layout;
  const [id, type, scope, source, tags, derived, createdAtUs, eventAfterUs, updatedAfterUs, tierSinceAfterUs] = layout;
  const entry: OpenEntry = {
    memory: {
      namespace,
      id,
      scope: scope
        ? { project: scope[0], agentType: scope[1], agent: scope[2], session: scope[3] }
        : { project: '', agentType: '', agent: '', session: '' },
      type,
      eventAtUs: instantOf(eventAfterUs, createdAtUs),
      text: '',
      textDerived: derived === 1,
      tags: tags || [],
      importance: layout[11],
      priority: layout[12],
      source: source ? { speaker: source[0], uri: source[1], origin: source[2] } : { speaker: '', uri: '', origin: '' },
      createdAtUs,
      updatedAtUs: instantOf(updatedAfterUs, createdAtUs),
      retrievalCount: layout[13],
      tier: TIERS[layout[14]] ?? 'short_term',
      checksum: layout[15],
      revision: layout[16],
    },
    sequence: layout[17],
    state: STATES[layout[18]] ?? 'none',
    attempts: layout[19],
    notBeforeUs: instantOf(layout[10], createdAtUs),
    tierSinceUs: instantOf(tierSinceAfterUs, createdAtUs),
    change: CHANGES[layout[20]] ?? 'stored',
    past: [],
  };
  const [mediaType, model, rest] = [layout[21], layout[22], layout[23]];
  if (rest) takeInLayout(rest, entry);
  return { entry, mediaType: mediaType === 0 ? undefined : mediaType, model: model === 0 ? undefined : model };
}

function takeInLayout({ resolution, place, ...rest }: Rest, entry: OpenEntry): void {
  Object.assign(entry.memory, rest);
  if (place && !isNowhere(place)) entry.memory.place = place;
  if (resolution) entry.resolution = resolution;
}
