import { MnemeError } from '../../memory/errors.ts';
import type { Micros } from '../../memory/memory.ts';
import { type Checkpoint, type Entry, isExpired } from '../../memory/session.ts';
import { compareTexts } from '../../memory/values.ts';
import type { CheckpointOp, OpResult, SessionOp } from '../session-store.ts';
import {
  compressed,
  damaged,
  decodeManifest,
  encodeManifest,
  encodeNotes,
  type Manifest,
  type ManifestEntry,
  type NoteSegment,
  type Place,
} from './manifest.ts';
import { checkpointNotFound, type OpContext, type Pack, type SessionView, sessionFull } from './session-view.ts';

export function makeCheckpoint(view: SessionView, op: CheckpointOp, { name, atUs, limits }: OpContext): OpResult {
  const { record } = view;
  const old = view.checkpoint(op.id);
  if (old && !isExpired(old, atUs)) {
    throw new MnemeError('CHECKPOINT_EXISTS', `${name} already has a checkpoint ${op.id}`, {
      metadata: { name, checkpoint: op.id },
    });
  }
  eraseExpiredCheckpoints(view, atUs);
  if (record.checkpointCount >= limits.checkpointsMax) throw sessionFull(name, 'checkpoints', limits.checkpointsMax);
  const { manifest, packs, contents } = takeSnapshot(view, name, atUs);
  const storedBytes = manifest.data.byteLength + packs.reduce((sum, { data }) => sum + data.byteLength, 0);
  if (record.checkpointBytes + storedBytes > limits.checkpointBytesMax) {
    throw sessionFull(name, 'compressed bytes of checkpoints', limits.checkpointBytesMax);
  }
  const checkpoint: Checkpoint = {
    id: op.id,
    description: op.description,
    kind: op.cause,
    parent: record.headCheckpoint,
    createdAtUs: atUs,
    expiresAtUs: op.expiresAtUs,
    hold: op.hold,
    revision: record.revision,
    memoryRevision: op.memoryRevision,
    storedBytes,
    checksum: manifest.checksum,
    ...contents,
  };
  view.putCheckpoint(checkpoint, manifest.data, packs);
  record.checkpointCount += 1;
  record.checkpointBytes += storedBytes;
  record.headCheckpoint = op.id;
  view.log('checkpoint_created', op.id);
  return { written: 1, removed: 0, checkpoint };
}

export function dropCheckpoint(view: SessionView, id: string, { atUs, name }: OpContext): OpResult {
  const checkpoint = view.checkpoint(id);
  if (!checkpoint) throw checkpointNotFound(name, id);
  eraseCheckpoint(view, checkpoint);
  if (isExpired(checkpoint, atUs)) throw checkpointNotFound(name, id);
  return { written: 0, removed: 1, checkpoint };
}

export function keepCheckpoint(
  view: SessionView,
  op: Extract<SessionOp, { kind: 'keepCheckpoint' }>,
  { atUs, name }: OpContext,
): OpResult {
  const { expiresAtUs } = op;
  const { expiresAtUs: _, hold, ...rest } = liveCheckpoint(view, op.id, name, atUs);
  const isForGood = expiresAtUs === undefined;
  const checkpoint: Checkpoint = hold
    ? { ...rest, hold: isForGood ? {} : { ttlUs: expiresAtUs - atUs } }
    : { ...rest, ...(isForGood ? {} : { expiresAtUs }) };
  view.setCheckpoint(checkpoint);
  return { written: 1, removed: 0, checkpoint };
}

/** Fails with CHECKPOINT_NOT_FOUND. */
export function liveCheckpoint(view: SessionView, id: string, name: string, atUs: Micros): Checkpoint {
  const checkpoint = view.checkpoint(id);
  if (!checkpoint || isExpired(checkpoint, atUs)) throw checkpointNotFound(name, id);
  return checkpoint;
}

/** Returns the number of erased checkpoints. */
export function eraseExpiredCheckpoints(view: SessionView, atUs: Micros): number {
  const expired = oldestFirst(view).filter((checkpoint) => isExpired(checkpoint, atUs));
  for (const checkpoint of expired) eraseCheckpoint(view, checkpoint);
  return expired.length;
}

export function eraseCheckpoints(view: SessionView): number {
  const all = oldestFirst(view);
  for (const checkpoint of all) eraseCheckpoint(view, checkpoint);
  view.record.checkpointCount = 0;
  return all.length;
}

export function oldestFirst(view: SessionView): Checkpoint[] {
  const all = view.checkpoints();
  return all.sort((one, other) => one.revision - other.revision || compareTexts(one.id, other.id));
}

/** Packs of other checkpoints stay. */
function eraseCheckpoint(view: SessionView, { id, packs, parent, storedBytes }: Checkpoint): void {
  const { record } = view;
  const others = view.checkpoints().filter((other) => other.id !== id);
  const used = new Set(others.flatMap((other) => other.packs));
  view.removeCheckpoint(
    id,
    packs.filter((pack) => !used.has(pack)),
  );
  record.checkpointCount -= 1;
  record.checkpointBytes = others.length === 0 ? 0 : Math.max(0, record.checkpointBytes - storedBytes);
  if (record.headCheckpoint === id) {
    record.headCheckpoint = others.some((other) => other.id === parent) ? parent : '';
  }
  view.log('checkpoint_deleted', id);
}

/** Maximum packs that a checkpoint shares with others; beyond it the checkpoint is written anew as a whole. */
const SHARED_PACKS_MAX = 32;

export interface TakenSnapshot {
  readonly manifest: { readonly data: Uint8Array; readonly checksum: string };
  /** Only new packs. */
  readonly packs: readonly Pack[];
  readonly contents: Pick<Checkpoint, 'keyCount' | 'noteCount' | 'hasTask' | 'bytes' | 'packs'>;
}

/** The present session, without expired data; bytes of the previous checkpoint are not written again. */
function takeSnapshot(view: SessionView, name: string, atUs: Micros): TakenSnapshot {
  const { record } = view;
  const parent = manifestOfHead(view, name);
  const writer = new PackWriter(1 + Math.max(0, ...view.checkpoints().flatMap(({ packs }) => packs)));
  // A checkpoint of what is left would hide what is lost.
  if (view.noteSequences().length !== record.noteCount) throw damaged(name);
  const entries = packEntries(view, parent, writer, { atUs, name });
  const segments = packNotes(view, parent, writer);
  const packs = writer.finish();
  const used = [...new Set([...entries, ...segments].map(({ pack }) => pack))];
  const manifest = encodeManifest({ revision: record.revision, entries, task: record.task, segments });
  const bytes = entries.reduce((sum, entry) => sum + entry.bytes, 0) + record.noteBytes;
  const { noteCount } = record;
  const contents = { keyCount: entries.length, noteCount, hasTask: record.task !== '', bytes, packs: used };
  return { manifest, packs, contents };
}

function manifestOfHead(view: SessionView, name: string): Manifest | undefined {
  const head = view.checkpoint(view.record.headCheckpoint);
  if (!head || head.packs.length > SHARED_PACKS_MAX) return undefined;
  const data = view.manifest(head.id);
  return data && decodeManifest(`${name} checkpoint ${head.id}`, data, head.checksum);
}

function packEntries(
  view: SessionView,
  parent: Manifest | undefined,
  writer: PackWriter,
  { atUs, name }: Pick<OpContext, 'atUs' | 'name'>,
): ManifestEntry[] {
  const mustBeWhole = (count: number) => {
    if (count !== view.record.keyCount) throw damaged(name);
  };
  if (!parent) {
    const all = [...view.allEntries()];
    mustBeWhole(all.length);
    return packAll(
      all.filter((entry) => !isExpired(entry, atUs)),
      writer,
    );
  }
  const known = new Map(parent.entries.map((entry) => [entry.key, entry]));
  const packed: ManifestEntry[] = [];
  const unknown: string[] = [];
  const heads = view.heads();
  mustBeWhole(heads.length);
  for (const head of heads.sort(byKey)) {
    if (isExpired(head, atUs)) continue;
    const { version: _, ...times } = head;
    const before = known.get(head.key);
    if (before?.contentRevision !== head.contentRevision) unknown.push(head.key);
    else {
      const { pack, offset, length, mediaType } = before;
      packed.push({ ...times, pack, offset, length, mediaType });
    }
  }
  return [...packed, ...packAll([...view.entries(unknown)], writer)];
}

function packAll(entries: readonly Entry[], writer: PackWriter): ManifestEntry[] {
  // Field by field: copying the rest of an object costs several times as much, and there may be thousands.
  return entries.toSorted(byKey).map((entry) => {
    const { key, contentRevision, bytes, createdAtUs, updatedAtUs, expiresAtUs, content } = entry;
    const { pack, offset, length } = writer.add(content.data);
    const place = { pack, offset, length, mediaType: content.mediaType };
    const head = { key, contentRevision, bytes, createdAtUs, updatedAtUs };
    return expiresAtUs === undefined ? { ...head, ...place } : { ...head, expiresAtUs, ...place };
  });
}

/** Equal contents make equal checkpoints, whatever the order in which a backend returns them. */
function byKey(one: { readonly key: string }, other: { readonly key: string }): number {
  return compareTexts(one.key, other.key);
}

/** Notes are immutable, so those in the previous checkpoint are taken from it. */
function packNotes(view: SessionView, parent: Manifest | undefined, writer: PackWriter): NoteSegment[] {
  const first = view.firstNote()?.sequence;
  if (first === undefined) return [];
  const shared = (parent?.segments ?? []).flatMap((segment) =>
    segment.to < first ? [] : [{ ...segment, from: Math.max(segment.from, first) }],
  );
  const from = Math.max(first, (shared.at(-1)?.to ?? 0) + 1);
  const fresh = [...view.notes(from, view.record.nextNote)];
  const [oldest, newest] = [fresh[0], fresh.at(-1)];
  if (!oldest || !newest) return shared;
  return [...shared, { from: oldest.sequence, to: newest.sequence, ...writer.add(encodeNotes(fresh)) }];
}

/** Uncompressed bytes after which a pack is closed, as a read of one value decompresses one pack. */
const PACK_BYTES = 4_194_304;

/** Collects bytes in packs of a checkpoint. */
class PackWriter {
  readonly packs: Pack[] = [];
  private next: number;
  private parts: Uint8Array[] = [];
  private length = 0;

  constructor(firstNumber: number) {
    this.next = firstNumber;
  }

  add(data: Uint8Array): Place {
    if (this.length > 0 && this.length + data.byteLength > PACK_BYTES) this.close();
    const place = { pack: this.next, offset: this.length, length: data.byteLength };
    this.append(data);
    this.length += data.byteLength;
    return place;
  }

  /** Complete after the last addition. */
  finish(): readonly Pack[] {
    if (this.parts.length > 0) this.close();
    return this.packs;
  }

  /** Adjacent bytes stay one part, so that no bytes are copied. */
  private append(data: Uint8Array): void {
    const last = this.parts.at(-1);
    const follows = last?.buffer === data.buffer && last.byteOffset + last.byteLength === data.byteOffset;
    if (!follows) this.parts.push(data);
    else this.parts.splice(-1, 1, new Uint8Array(data.buffer, last.byteOffset, last.byteLength + data.byteLength));
  }

  private close(): void {
    const [first = new Uint8Array(), ...others] = this.parts;
    this.packs.push({ number: this.next, data: compressed(others.length > 0 ? Buffer.concat(this.parts) : first) });
    this.next += 1;
    this.parts = [];
    this.length = 0;
  }
}
