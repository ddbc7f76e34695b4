import { ChunkReader } from './chunks.ts';
import type { Manifest } from './manifest.ts';
import { Repository } from './repository.ts';

/** A backup as it is listed; `problem` is absent where it can be restored. */
export interface VerifiedBackup {
  readonly number: number;
  readonly manifest?: Manifest | undefined;
  readonly problem?: string | undefined;
}

export function listBackups(path: string): VerifiedBackup[] {
  return Repository.open(path).list();
}

/** Reads every chunk of every backup and compares checksums; a chunk that several backups share is read once. */
export function verifyBackups(
  path: string,
  onProgress: (readChunks: number, totalChunks: number) => void = () => {},
): VerifiedBackup[] {
  const repository = Repository.open(path);
  const listed = repository.list();
  const total = listed.reduce((sum, { manifest }) => sum + (manifest?.chunks.length ?? 0), 0);
  const reader = new ChunkReader(repository);
  const found = new Map<string, string | undefined>();
  let done = 0;
  try {
    return listed.map(({ number, manifest, problem }) => {
      if (!manifest) return { number, problem };
      let first: string | undefined;
      for (const chunk of manifest.chunks) {
        const key = chunk.join(' ');
        if (!found.has(key))
          found.set(
            key,
            problemOf(() => void reader.read(chunk)),
          );
        first ??= found.get(key);
        if (++done % 64 === 0) onProgress(done, total);
      }
      return { number, manifest, problem: first };
    });
  } finally {
    reader.close();
  }
}

function problemOf(read: () => void): string | undefined {
  try {
    read();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
