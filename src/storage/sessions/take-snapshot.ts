import type { Micros } from '../../memory/memory.ts';
import { type Checkpoint, type Entry, isExpired } from '../../memory/session.ts';
import { compareTexts } from '../../memory/values.ts';
import {
  decodeManifest,
  encodeManifest,
  encodeNotes,
  type Manifest,
  type ManifestEntry,
  type NoteSegment,
} from './manifest.ts';
import { PackWriter } from './pack-writer.ts';
import type { Pack, SessionView } from './session-view.ts';

/** Packs that a checkpoint shares with others at most; with more of them it is written anew as a whole. */
const SHARED_PACKS_MAX = 32;

export interface TakenSnapshot {
  readonly manifest: { readonly data: Uint8Array; readonly checksum: string };
  /** New ones only. */
  readonly packs: readonly Pack[];
  readonly contents: Pick<Checkpoint, 'keyCount' | 'noteCount' | 'hasTask' | 'bytes' | 'packs'>;
}

/** The session as it is, without what has expired; bytes that the checkpoint before has are not written again. */
export function takeSnapshot(view: SessionView, name: string, atUs: Micros): TakenSnapshot {
  const { record } = view;
  const parent = manifestOfHead(view, name);
  const writer = new PackWriter(1 + Math.max(0, ...view.checkpoints().flatMap(({ packs }) => packs)));
  const entries = packEntries(view, parent, writer, atUs);
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
  atUs: Micros,
): ManifestEntry[] {
  if (!parent)
    return packAll(
      [...view.allEntries()].filter((entry) => !isExpired(entry, atUs)),
      writer,
    );
  const known = new Map(parent.entries.map((entry) => [entry.key, entry]));
  const packed: ManifestEntry[] = [];
  const unknown: string[] = [];
  for (const head of view.heads().sort(byKey)) {
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
  // Field by field: copying what is left of an object costs several times as much, and there may be thousands.
  return entries.toSorted(byKey).map((entry) => {
    const { key, contentRevision, bytes, createdAtUs, updatedAtUs, expiresAtUs, content } = entry;
    const { pack, offset, length } = writer.add(content.data);
    const place = { pack, offset, length, mediaType: content.mediaType };
    const head = { key, contentRevision, bytes, createdAtUs, updatedAtUs };
    return expiresAtUs === undefined ? { ...head, ...place } : { ...head, expiresAtUs, ...place };
  });
}

/** The same contents make the same checkpoint, in whatever order a backend gives them. */
function byKey(one: { readonly key: string }, other: { readonly key: string }): number {
  return compareTexts(one.key, other.key);
}

/** Notes never change, so those up to the last one that the checkpoint before has are taken from it. */
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
