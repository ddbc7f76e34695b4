import { createHash, hash } from 'node:crypto';
import { closeSync, fstatSync, openSync, readFileSync, readSync } from 'node:fs';
import { open, rename } from 'node:fs/promises';
import { join } from 'node:path';

/** Bytes hashed between two looks at the event loop: some 2 ms. */
const STEP_BYTES = 4 * 1024 * 1024;
const MANIFEST = 'manifest';

/** A file of a snapshot, as it must be found again. */
export interface FileRecord {
  readonly name: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** A file does not match the manifest. */
export class FileDamaged extends Error {
  override readonly name = 'FileDamaged';
}

/** Undamaged files of another version or of other vectors, which are made anew. */
export class FormerFile extends Error {
  override readonly name = 'FormerFile';
}

/** Why files of a snapshot cannot be used; `isFormer`: they are whole, but of another version or of other vectors. */
export type OnRefused = (namespace: string, reason: string, isFormer: boolean) => void;

/** True for failures that make a snapshot useless, which is then made anew. */
export function isRefusal(error: unknown): error is Error {
  return error instanceof FileDamaged || error instanceof FormerFile || isSystemError(error);
}

/** Writes a file; it is on the disk when this resolves. */
export async function writeHashed(path: string, name: string, pieces: Iterable<Uint8Array>): Promise<FileRecord> {
  const hash = createHash('sha256');
  let bytes = 0;
  const file = await open(path, 'w');
  try {
    for (const piece of pieces) {
      for (let from = 0; from < piece.length; from += STEP_BYTES) {
        const step = piece.subarray(from, from + STEP_BYTES);
        hash.update(step);
        await file.writeFile(step);
        bytes += step.length;
      }
    }
    await file.sync();
  } finally {
    await file.close();
  }
  return { name, bytes, sha256: hash.digest('hex') };
}

/** Describes a file written by others, and sees to it that it is on the disk. */
export async function hashWritten(path: string, name: string): Promise<FileRecord> {
  const hash = createHash('sha256');
  const step = Buffer.allocUnsafeSlow(STEP_BYTES);
  let bytes = 0;
  const file = await open(path, 'r+');
  try {
    await file.sync();
    for (;;) {
      const { bytesRead } = await file.read(step, 0, STEP_BYTES);
      if (bytesRead === 0) return { name, bytes, sha256: hash.digest('hex') };
      hash.update(step.subarray(0, bytesRead));
      bytes += bytesRead;
    }
  } finally {
    await file.close();
  }
}

/**
 * Replaces the description of a folder's files: from here on the folder contains the files that it names. Its last line is
 * the hash of the preceding line, so that a changed description is detected.
 */
export async function putManifest(folder: string, manifest: object): Promise<void> {
  const path = join(folder, MANIFEST);
  const line = JSON.stringify(manifest);
  await writeHashed(`${path}.new`, MANIFEST, [Buffer.from(`${line}\n${hash('sha256', line)}\n`)]);
  await syncFolder(folder);
  await rename(`${path}.new`, path);
  await syncFolder(folder);
}

/** What `putManifest` has written; `undefined` where it has not. */
export function readManifest(folder: string): unknown {
  const text = textOf(join(folder, MANIFEST));
  if (text === undefined) return undefined;
  const [line = '', sha256, end, ...more] = text.split('\n');
  if (end !== '' || more.length > 0 || sha256 !== hash('sha256', line))
    throw new FileDamaged('the manifest is damaged');
  return JSON.parse(line);
}

/** As `readManifest`; `undefined` also where it is damaged. */
export function readLastManifest(folder: string): unknown {
  try {
    return readManifest(folder);
  } catch (error) {
    if (error instanceof FileDamaged) return undefined;
    throw error;
  }
}

/** The other one of two names than that of the last file, which stays whole until the manifest names this one. */
export function fileNameAfter(last: string | undefined, name: string): string {
  return last === `${name}-0` ? `${name}-1` : `${name}-0`;
}

/** Makes new and renamed entries of a folder survive a power failure. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Fills the memory with the next bytes of a file. They are not to be trusted before the whole is verified. */
export type Fill = (target: ArrayBufferView) => void;

/**
 * Lets `take` read a file from its beginning, skips the remainder, and throws `FileDamaged` unless the whole file
 * matches the record.
 */
export function readVerified<T>(path: string, record: FileRecord, take: (fill: Fill) => T): T {
  const hash = createHash('sha256');
  const file = openSync(path, 'r');
  try {
    const { size } = fstatSync(file);
    if (size !== record.bytes) throw new FileDamaged(`${record.name} has ${size} bytes instead of ${record.bytes}`);
    let position = 0;
    const fill: Fill = (target) => {
      const bytes = new Uint8Array(target.buffer, target.byteOffset, target.byteLength);
      for (let filled = 0; filled < bytes.length; ) {
        const count = readSync(file, bytes, filled, bytes.length - filled, position);
        if (count === 0) throw new FileDamaged(`${record.name} ends at ${position}`);
        filled += count;
        position += count;
      }
      hash.update(bytes);
    };
    const taken = take(fill);
    const step = Buffer.allocUnsafeSlow(Math.min(STEP_BYTES, size - position));
    while (position < size) fill(step.subarray(0, Math.min(STEP_BYTES, size - position)));
    if (hash.digest('hex') !== record.sha256) throw new FileDamaged(`${record.name} has changed`);
    return taken;
  } finally {
    closeSync(file);
  }
}

/** True for errors of the operating system. */
export function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error;
}

/** `undefined` when there is no such file. */
function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (isSystemError(error) && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
