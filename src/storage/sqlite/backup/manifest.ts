import { hash } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { FolderError } from '../driver-error.ts';
import { syncPath } from '../replace-database.ts';

/** Format of manifests and packs; another one is refused. */
export const BACKUP_FORMAT = 1;

/** Place of one chunk of the database: its SHA-256, and where its compressed bytes are. */
export type ChunkPlace = readonly [sha256: string, pack: number, offset: number, length: number];

/** A namespace as a backup has it. */
export interface BackedUpNamespace {
  readonly name: string;
  /** Revision of its newest change. */
  readonly revision: number;
  readonly memoryCount: number;
}

/** The log of a namespace of PostgreSQL, as a backup has it. */
export interface BackedUpLog {
  readonly name: string;
  /** Number of the namespace: one that is created again with the same name has another. */
  readonly key: number;
  /** Newest revision in PostgreSQL. */
  readonly revision: number;
  /** Added to its revisions in the database of the backup, which has one log for all namespaces. */
  readonly offset: number;
}

/** The logs of PostgreSQL, by which a point in time before a backup is found. */
export interface LogsOfPostgres {
  /** Names the tables among those of all servers. */
  readonly identity: string;
  /** Grows with each deletion of a namespace that was created since; at least the last revision of each deleted one. */
  readonly revisionFloor: number;
  readonly namespaces: readonly BackedUpLog[];
}

/** What a backup is, without its chunks: a repository has some hundred of these in memory. */
export interface BackupSummary {
  readonly format: number;
  /** Backups of a folder are counted from 1. */
  readonly number: number;
  /** Time at which the copied state was the newest one. */
  readonly time: string;
  /** Version of Mneme that made the backup, and number of the schema of the database. */
  readonly version: string;
  readonly schema: number;
  /** Newest revision; every write up to it is in the backup. */
  readonly revision: number;
  /** Entries of the change log up to this revision are removed. */
  readonly compactedRevision: number;
  /** Terms of the change log, oldest first: the revision before each, and its name. */
  readonly terms: readonly (readonly [startRevision: number, id: string])[];
  readonly namespaces: readonly BackedUpNamespace[];
  readonly memoryCount: number;
  /** Present for a backup of PostgreSQL, whose namespaces have logs of their own; absent for one of a data folder. */
  readonly logs?: LogsOfPostgres;
  /** The server, or the servers of the PostgreSQL, have sessions in Redis, which the backup does not have. */
  readonly sessionsAreInRedis: boolean;
  readonly bytes: number;
  readonly sha256: string;
  readonly chunkBytes: number;
  /** Bytes of the chunks that no earlier backup has. */
  readonly packBytes: number;
}

/** What a backup is and has; all but the chunks themselves. */
export interface Manifest extends BackupSummary {
  /** Place of each chunk of the database, in order: 10 MB of memory for a million memories. */
  readonly chunks: readonly ChunkPlace[];
}

/** On the disk when it returns; killed before, there is no such backup. */
export function writeManifest(file: string, manifest: Manifest): void {
  const text = JSON.stringify(manifest);
  const unfinished = `${file}.unfinished`;
  writeFileSync(unfinished, `${text}\n${hash('sha256', text, 'hex')}\n`, { mode: 0o600 });
  syncPath(unfinished);
  renameSync(unfinished, file);
}

/** Fails with FolderError for a manifest that is damaged or has another format. */
export function readManifest(file: string): Manifest {
  const [text = '', sha256 = ''] = readFileSync(file, 'utf8').split('\n');
  if (hash('sha256', text, 'hex') !== sha256) throw new FolderError(`${file} is damaged: its checksum does not match`);
  const manifest = JSON.parse(text) as Manifest;
  if (manifest.format === BACKUP_FORMAT) return manifest;
  throw new FolderError(
    `${file} has format ${manifest.format}, and this version of mneme reads format ${BACKUP_FORMAT} only: use the version that wrote it`,
  );
}

/** Name of the term in which a revision was written; '' where the manifest does not know. */
export function termIn({ terms }: Pick<BackupSummary, 'terms'>, revision: number): string {
  return terms.findLast(([start]) => start < revision)?.[1] ?? '';
}

/** Whether a backup is an earlier state of the history that another one has, or the same. */
export function isBefore(earlier: BackupSummary, later: BackupSummary): boolean {
  if (earlier.logs || later.logs) {
    return earlier.number === later.number || areBefore(earlier.logs, later.logs);
  }
  if (earlier.revision > later.revision) return false;
  return earlier.revision === 0 || termIn(earlier, earlier.revision) === termIn(later, earlier.revision);
}

/** Revisions and the floor only grow; a deleted namespace is missing in the later state, or has another key there. */
function areBefore(earlier: LogsOfPostgres | undefined, later: LogsOfPostgres | undefined): boolean {
  if (!earlier || !later || earlier.identity !== later.identity) return false;
  if (earlier.revisionFloor > later.revisionFloor) return false;
  const revisions = new Map(later.namespaces.map(({ key, revision }) => [key, revision]));
  return earlier.namespaces.every(({ key, revision }) => revision <= (revisions.get(key) ?? revision));
}
