import type { Micros } from '../../../memory/memory.ts';
import type { Entry, EntryHead, Note } from '../../../memory/session.ts';

const LINE_END = 10;

/** A line of JSON, then the bytes. */
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
