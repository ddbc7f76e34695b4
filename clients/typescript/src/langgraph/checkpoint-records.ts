import { createHash } from 'node:crypto';
import type { CheckpointMetadata, PendingWrite, SerializerProtocol } from '@langchain/langgraph-checkpoint';
import { badInput } from '../bad-input.ts';
import { Content } from '../content.ts';
import { DataLossError } from '../errors.ts';
import type { Memory, NewMemory } from '../memory.ts';
import { derivedId } from './derived-id.ts';

/** From this media type the server derives no text and no vector. */
const MEDIA_TYPE = 'application/vnd.mneme.langgraph';
/** Bytes of a record in one memory. */
const PART_BYTES = 1_000_000;
/** Bytes of an id of a checkpoint, which is the URI of its memory. */
const ID_BYTES = 1024;
/** Bytes of a name that is readable in the scope of a memory. */
const NAME_BYTES = 100;

/** Which checkpoint. */
export interface CheckpointKey {
  readonly thread: string;
  readonly namespace: string;
  readonly id: string;
}

/** A value as the serializer of the saver has written it. */
export type Typed = readonly [type: string, data: Uint8Array];

/** What is stored of a checkpoint without the values of its channels. */
export interface CheckpointHeader extends CheckpointKey {
  readonly parent?: string;
}

/** What is stored of a pending write without its value. */
export interface WriteHeader {
  readonly task: string;
  readonly index: number;
  readonly channel: string;
}

type Kind = 'checkpoint' | 'channel' | 'write';
type RecordKey = readonly (string | number)[];

/** A record in as many memories as it needs: the first one has the header. */
export interface RecordSource {
  readonly kind: Kind;
  readonly key: RecordKey;
  readonly thread: string;
  readonly namespace: string;
  /** Id of the checkpoint, for a checkpoint. */
  readonly uri?: string;
  readonly tag?: string;
  /** Whether it takes the place of a record that is there. */
  readonly replaces: boolean;
  readonly header: object;
  readonly sections: readonly Typed[];
}

interface StoredHeader {
  readonly kind: Kind;
  readonly key: RecordKey;
  readonly header: unknown;
  readonly sections: readonly (readonly [type: string, bytes: number])[];
  readonly parts: number;
}

/** Id of the memory with a part of a record. */
export function partId(kind: Kind, key: RecordKey, part = 0): string {
  return derivedId([kind, ...key, part]);
}

/** Tag of all writes of a checkpoint. */
export function writesTag({ thread, namespace, id }: CheckpointKey): string {
  return `writes:${partId('checkpoint', [thread, namespace, id])}`;
}

/** A name in the scope of a memory: readable where it is short and has no control characters. */
export function scopeName(name: string): string {
  const isReadable = Buffer.byteLength(name) <= NAME_BYTES && name.isWellFormed() && !/\p{Cc}/u.test(name);
  return isReadable ? `=${name}` : `#${createHash('sha256').update(JSON.stringify(name)).digest('hex')}`;
}

/** The memories of a record. */
export function memoriesOfRecord(record: RecordSource): NewMemory[] {
  const payload = Buffer.concat(record.sections.map(([, data]) => data));
  const stored = (parts: number): Buffer => {
    const sections = record.sections.map(([type, data]) => [type, data.length] as const);
    const { kind, key, header } = record;
    return Buffer.from(`${JSON.stringify({ kind, key, header, sections, parts } satisfies StoredHeader)}\n`);
  };
  // The number of parts is written with the same digits in the header that is measured.
  const parts = Math.ceil((stored(999_999).length + payload.length) / PART_BYTES);
  const bytes = Buffer.concat([stored(parts), payload]);
  return Array.from({ length: parts }, (_, part) => ({
    id: partId(record.kind, record.key, part),
    type: part === 0 ? record.kind : 'part',
    scope: { session: scopeName(record.thread), agent: scopeName(record.namespace) },
    source: { origin: 'langgraph', ...(part === 0 && record.uri !== undefined && { uri: record.uri }) },
    ...(part === 0 && record.tag !== undefined && { tags: [record.tag] }),
    content: new Content(MEDIA_TYPE, bytes.subarray(part * PART_BYTES, (part + 1) * PART_BYTES)),
  }));
}

/** Ids of the memories of a record after its first one. */
export function laterParts(first: Memory): string[] {
  const { kind, key, parts } = storedHeader(first);
  return Array.from({ length: parts - 1 }, (_, index) => partId(kind, key, index + 1));
}

/** The record of its memories. */
export function recordOf<Header>(memories: readonly Memory[]): { header: Header; sections: Typed[] } {
  const [first] = memories;
  if (first === undefined) throw new DataLossError('DATA_LOSS', 'a record of LangGraph has no memory');
  const stored = storedHeader(first);
  const bytes = Buffer.concat(memories.map(({ content }) => content?.data ?? new Uint8Array()));
  let start = bytes.indexOf('\n') + 1;
  const sections = stored.sections.map(([type, length]): Typed => {
    start += length;
    return [type, bytes.subarray(start - length, start)];
  });
  if (start !== bytes.length) throw new DataLossError('DATA_LOSS', `the record of memory '${first.id}' is cut off`);
  return { header: stored.header as Header, sections };
}

function storedHeader({ id, content }: Memory): StoredHeader {
  const bytes = Buffer.from(content?.data ?? []);
  const end = bytes.indexOf('\n');
  if (end < 0) throw new DataLossError('DATA_LOSS', `memory '${id}' is no record of LangGraph`);
  return JSON.parse(bytes.toString('utf8', 0, end)) as StoredHeader;
}

/** The record of a checkpoint. */
export async function checkpointRecord(
  serde: SerializerProtocol,
  header: CheckpointHeader,
  checkpoint: object,
  metadata: CheckpointMetadata,
): Promise<RecordSource> {
  const { thread, namespace, id } = header;
  const sections = await Promise.all([serde.dumpsTyped(checkpoint), serde.dumpsTyped(metadata)]);
  const key = [thread, namespace, id];
  return { kind: 'checkpoint', key, thread, namespace, uri: id, replaces: true, header, sections };
}

/** The record of a channel's value, which is the same for all checkpoints that have this version of the channel. */
export async function channelRecord(
  serde: SerializerProtocol,
  { thread, namespace }: CheckpointKey,
  [channel, version]: readonly [channel: string, version: string | number],
  value: unknown,
): Promise<RecordSource> {
  const sections = [await serde.dumpsTyped(value)];
  const key = [thread, namespace, channel, version];
  return { kind: 'channel', key, thread, namespace, replaces: false, header: {}, sections };
}

/** The record of a pending write. Errors, interrupts and resumes, of a negative index, take the place of former ones. */
export async function writeRecord(
  serde: SerializerProtocol,
  checkpoint: CheckpointKey,
  { task, index }: { readonly task: string; readonly index: number },
  [channel, value]: PendingWrite,
): Promise<RecordSource> {
  const { thread, namespace, id } = checkpoint;
  const header: WriteHeader = { task, index, channel };
  const sections = [await serde.dumpsTyped(value)];
  const key = [thread, namespace, id, task, index];
  return { kind: 'write', key, thread, namespace, tag: writesTag(checkpoint), replaces: index < 0, header, sections };
}

/** A part of the config that names something: a text. */
export function checkName(field: string, value: unknown, { allowEmpty = false } = {}): string {
  if (typeof value !== 'string' || (value === '' && !allowEmpty)) {
    throw badInput(`configurable.${field}`, `must be a text${allowEmpty ? '' : ' of 1 or more characters'}`);
  }
  if (field === 'checkpoint_id' && Buffer.byteLength(value) > ID_BYTES) {
    throw badInput(`configurable.${field}`, `has ${Buffer.byteLength(value)} bytes, more than ${ID_BYTES}`);
  }
  return value;
}
