import { randomBytes } from 'node:crypto';
import type { Worker } from 'node:worker_threads';
import type { Clock } from '../../memory/clock.ts';
import type { Scan } from './scan.ts';
import type { QueueLimits } from './write-queue.ts';
import type { WriterOptions } from './writer-thread.ts';

const RETENTION_MS = 24 * 60 * 60 * 1000;
const TERM_BYTES = 8;

export interface SqliteStoreOptions {
  /** Data folder; made when it is not there. */
  readonly folder: string;
  /** Carries out reads that may take long; without it they run on the thread of the caller. */
  readonly scan?: Scan;
  readonly clock?: Clock;
  readonly queue?: Partial<QueueLimits>;
  /** How long outcomes are kept for repeated requests. */
  readonly idempotencyRetentionMs?: number;
  /** Size of the database beyond which it counts as a full disk. */
  readonly databaseBytesMax?: number;
  /** The thread to write with, where one has been started already. */
  readonly writerThread?: Worker | undefined;
  /** Names what this opening of the folder writes, as no other opening of it or of a copy is named. */
  readonly newTerm?: () => string;
}

export function writerOptionsOf(
  { idempotencyRetentionMs = RETENTION_MS, databaseBytesMax = 0, newTerm = randomTerm }: SqliteStoreOptions,
  databaseFile: string,
): WriterOptions {
  return { databaseFile, retentionUs: idempotencyRetentionMs * 1000, bytesMax: databaseBytesMax, term: newTerm() };
}

function randomTerm(): string {
  return randomBytes(TERM_BYTES).toString('base64url');
}
