import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { FolderError, sqliteCode } from '../driver-error.ts';
import { lockFile } from '../folder.ts';
import { LOCK_FILE } from '../linked-files.ts';
import { syncPath } from '../replace-database.ts';
import { BACKUP_FORMAT, type BackupSummary, type Manifest, readManifest } from './manifest.ts';

/** A backup in a repository; `problem` in place of a manifest that cannot be used. */
export interface Listed {
  readonly number: number;
  readonly manifest?: BackupSummary;
  /** Numbers of the packs that have its chunks. */
  readonly packs?: ReadonlySet<number>;
  readonly problem?: string;
}

const MARK = 'mneme-backup.json';
const BACKUPS = 'backups';
const PACKS = 'packs';
const WORK = 'work';
const DIGITS = 8;

/**
 * A folder of backups: `backups/` has a manifest for each, `packs/` the chunks that it was the first to have, `work/`
 * what is being made.
 */
export class Repository {
  readonly path: string;

  private constructor(path: string) {
    this.path = path;
  }

  /** Fails with FolderError where the folder has no backups. */
  static open(path: string): Repository {
    const repository = new Repository(resolve(path));
    const mark = join(repository.path, MARK);
    if (!existsSync(mark))
      throw new FolderError(`${repository.path} has no backups: "mneme backup PATH" makes one there`);
    const format = formatIn(mark);
    if (format === BACKUP_FORMAT) return repository;
    throw new FolderError(
      `${mark} has format ${format}, this mneme knows ${BACKUP_FORMAT}: use the version that wrote it`,
    );
  }

  /** Creates a missing one. A folder with other files is refused. */
  static create(path: string): Repository {
    const folder = resolve(path);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const names = readdirSync(folder).filter((name) => name !== LOCK_FILE && name !== `${MARK}.unfinished`);
    if (names.includes(MARK)) return Repository.open(path);
    if (names.length > 0) {
      throw new FolderError(`${folder} is not empty and has no backups: name a folder of its own for them`);
    }
    const unfinished = join(folder, `${MARK}.unfinished`);
    writeFileSync(unfinished, `${JSON.stringify({ format: BACKUP_FORMAT })}\n`, { mode: 0o600 });
    syncPath(unfinished);
    renameSync(unfinished, join(folder, MARK));
    syncPath(folder);
    return Repository.open(path);
  }

  /** Locks the repository for this process; returns the release of the lock. */
  lock(): () => void {
    try {
      return lockFile(join(this.path, LOCK_FILE));
    } catch (cause) {
      if (!sqliteCode(cause)?.startsWith('SQLITE_BUSY')) throw cause;
      throw new FolderError(`${this.path} is in use by another "mneme backup": wait until that one has ended`, {
        cause,
      });
    }
  }

  /** All backups, oldest first. One that another process removes meanwhile is left out. */
  list(): Listed[] {
    return this.numbersIn(BACKUPS, '.json').flatMap((number): Listed[] => {
      try {
        const { chunks, ...manifest } = this.read(number);
        return [{ number, manifest, packs: new Set(chunks.map(([, pack]) => pack)) }];
      } catch (error) {
        if (!this.has(number)) return [];
        return [{ number, problem: damageIn(error) }];
      }
    });
  }

  /** Whether there is a backup of this number, damaged or not. */
  has(number: number): boolean {
    return existsSync(this.manifestFile(number));
  }

  /** Reads a manifest with its chunks. Fails with FolderError where it is damaged, of a later version, or removed. */
  read(number: number): Manifest {
    try {
      return readManifest(this.manifestFile(number));
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code !== 'ENOENT') throw cause;
      throw new FolderError(`backup ${number} was removed meanwhile`, { cause });
    }
  }

  manifestFile(number: number): string {
    return join(this.folder(BACKUPS), `${named(number)}.json`);
  }

  packFile(number: number): string {
    return join(this.folder(PACKS), `${named(number)}.pack`);
  }

  /** An empty folder for what is being made. */
  emptyWork(): string {
    rmSync(join(this.path, WORK), { recursive: true, force: true });
    return this.folder(WORK);
  }

  removeWork(): void {
    rmSync(join(this.path, WORK), { recursive: true, force: true });
  }

  /** Waits until the names of finished files are on the disk. */
  sync(): void {
    for (const folder of [this.folder(PACKS), this.folder(BACKUPS), this.path]) syncPath(folder);
  }

  /** Removes packs that none of all backups needs, unless a manifest cannot be read: it may need any. */
  removeUnused(listed: readonly Listed[]): void {
    for (const folder of [BACKUPS, PACKS]) {
      const names = readdirSync(this.folder(folder)).filter((name) => name.endsWith('.unfinished'));
      for (const name of names) rmSync(join(this.path, folder, name), { force: true });
    }
    if (listed.some(({ packs }) => packs === undefined)) return;
    const unused = this.numbersIn(PACKS, '.pack').filter((number) => !listed.some(({ packs }) => packs?.has(number)));
    for (const number of unused) rmSync(this.packFile(number), { force: true });
  }

  removeBackup(number: number): void {
    rmSync(this.manifestFile(number), { force: true });
  }

  private folder(name: string): string {
    const path = join(this.path, name);
    mkdirSync(path, { recursive: true, mode: 0o700 });
    return path;
  }

  private numbersIn(folder: string, extension: string): number[] {
    const names = existsSync(join(this.path, folder)) ? readdirSync(join(this.path, folder)) : [];
    const numbers = names.filter(
      (name) => /^\d{8,}$/.test(name.slice(0, -extension.length)) && name.endsWith(extension),
    );
    return numbers.map((name) => Number(name.slice(0, -extension.length))).sort((a, b) => a - b);
  }
}

/** Message of an error that is damage of a file. All others, such as missing rights, say nothing of the file. */
export function damageIn(error: unknown): string {
  if (error instanceof FolderError) return error.message;
  if ((error as NodeJS.ErrnoException).code === 'EIO') return (error as Error).message;
  throw error;
}

function named(number: number): string {
  return String(number).padStart(DIGITS, '0');
}

function formatIn(mark: string): unknown {
  try {
    return (JSON.parse(readFileSync(mark, 'utf8')) as { format?: unknown }).format;
  } catch {
    return 'unreadable';
  }
}
