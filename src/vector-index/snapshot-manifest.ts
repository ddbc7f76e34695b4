import { hash } from 'node:crypto';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { FileDamaged, type FileRecord, syncFolder, textOf, writeHashed } from './snapshot-files.ts';

/** What a snapshot consists of. Its last line is the hash of the one before: a changed revision must not go unnoticed. */
export interface SnapshotManifest {
  readonly format: typeof SNAPSHOT_FORMAT;
  /** State of the store that the index had taken in: what is newer has to be applied. */
  readonly revision: number;
  /** Tells that store at that revision from another one. */
  readonly mark: string;
  readonly model: string;
  readonly dimension: number;
  readonly metric: string;
  readonly quantization: string;
  readonly usearchVersion: string;
  /** Vectors in all, those in the graph first. */
  readonly count: number;
  readonly graphCount: number;
  readonly graphSlots: number;
  /** The keys as f64, then the rows as f32, little-endian. */
  readonly vectors: FileRecord;
  readonly graph?: FileRecord;
}

export const SNAPSHOT_FORMAT = 1;
const MANIFEST = 'manifest';

/** From here on the folder is this snapshot. */
export async function putManifest(folder: string, manifest: SnapshotManifest): Promise<void> {
  const path = join(folder, MANIFEST);
  await writeHashed(`${path}.new`, MANIFEST, [Buffer.from(encodeManifest(manifest))]);
  await syncFolder(folder);
  await rename(`${path}.new`, path);
  await syncFolder(folder);
}

/** `undefined` when there is none. */
export function readManifest(folder: string): SnapshotManifest | undefined {
  const text = textOf(join(folder, MANIFEST));
  if (text === undefined) return undefined;
  const manifest = decodeManifest(text);
  if (!manifest) throw new FileDamaged('the manifest is damaged or of another format');
  return manifest;
}

function encodeManifest(manifest: SnapshotManifest): string {
  const line = JSON.stringify(manifest);
  return `${line}\n${hash('sha256', line)}\n`;
}

/** `undefined` when it is not a whole manifest of this format. */
function decodeManifest(text: string): SnapshotManifest | undefined {
  const [line = '', sha256, end, ...more] = text.split('\n');
  if (end !== '' || more.length > 0 || sha256 !== hash('sha256', line)) return undefined;
  const manifest = JSON.parse(line) as SnapshotManifest;
  return manifest.format === SNAPSHOT_FORMAT ? manifest : undefined;
}
