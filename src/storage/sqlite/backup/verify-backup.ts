import { FolderError } from '../driver-error.ts';
import { ChunkReader } from './chunks.ts';
import type { BackupSummary, ChunkPlace } from './manifest.ts';
import { damageIn, Repository } from './repository.ts';

/** A backup as it is listed; `problem` is absent where it can be restored. */
export interface VerifiedBackup {
  readonly number: number;
  readonly manifest?: BackupSummary;
  readonly problem?: string;
}

export function listBackups(path: string): VerifiedBackup[] {
  return Repository.open(path).list();
}

/**
 * Reads every chunk of every backup, up to its first problem, and compares checksums; a chunk that several backups share
 * is read once. Backups that `mneme backup --keep` removes meanwhile are left out. Fails with FolderError where there is
 * no backup.
 */
export function verifyBackups(
  path: string,
  onProgress: (readChunks: number, totalChunks: number) => void = () => {},
): VerifiedBackup[] {
  const repository = Repository.open(path);
  const listed = repository.list();
  if (listed.length === 0)
    throw new FolderError(`${repository.path} has no backup: "mneme backup PATH" makes one there`);
  const total = listed.reduce((sum, { manifest }) => sum + (manifest ? manifest.bytes / manifest.chunkBytes : 0), 0);
  const reader = new ChunkReader(repository);
  const found = new Map<string, string | undefined>();
  let done = 0;
  const problemAt = (chunk: ChunkPlace): string | undefined => {
    const key = chunk.join(' ');
    if (!found.has(key)) found.set(key, damageOf(reader, chunk));
    if (++done % 64 === 0) onProgress(done, total);
    return found.get(key);
  };
  try {
    const verified = listed.flatMap(({ number, manifest, problem }): VerifiedBackup[] => {
      if (!manifest) return [{ number, problem }];
      const first = problemIn(repository, number, problemAt);
      // A manifest is removed before its packs.
      return first !== undefined && !repository.has(number) ? [] : [{ number, manifest, problem: first }];
    });
    return verified.length > 0 ? verified : verifyBackups(path, onProgress);
  } finally {
    reader.close();
  }
}

function problemIn(
  repository: Repository,
  number: number,
  problemAt: (chunk: ChunkPlace) => string | undefined,
): string | undefined {
  try {
    for (const chunk of repository.read(number).chunks) {
      const problem = problemAt(chunk);
      if (problem !== undefined) return problem;
    }
    return undefined;
  } catch (error) {
    return damageIn(error);
  }
}

function damageOf(reader: ChunkReader, chunk: ChunkPlace): string | undefined {
  try {
    reader.read(chunk);
    return undefined;
  } catch (error) {
    return damageIn(error);
  }
}
