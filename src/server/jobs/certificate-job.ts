import { createHash } from 'node:crypto';
import type { Logger } from '../logger.ts';
import { RepeatingJob } from './repeating-job.ts';

/** Contents of PEM files. */
interface PemFiles {
  readonly cert: Buffer;
  readonly key: Buffer;
  readonly clientCa?: Buffer;
}

export interface WatchedCertificates<T extends PemFiles> {
  /** In use at the start. */
  readonly current: T;
  /** Reads the files and checks that they can be used; fails in one line. */
  read(): T;
  replace(files: T): void;
}

/**
 * Reads the files of certificates at an interval, and replaces those in use when two looks in a row found the same new ones: a
 * certificate and its key are not written at the same instant. Files that cannot be used are reported once, and the
 * certificates in use stay.
 */
export function certificateJob<T extends PemFiles>(
  { current, read, replace }: WatchedCertificates<T>,
  intervalMs: number,
  logger: Logger,
): RepeatingJob {
  let used = digestOf(current);
  let seen = used;
  let reported = '';
  return new RepeatingJob(async () => {
    try {
      const files = read();
      reported = '';
      const digest = digestOf(files);
      if (digest !== used && digest === seen) {
        replace(files);
        used = digest;
        logger.info('new connections get the certificate that has been put in place');
      }
      seen = digest;
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      if (message !== reported) logger.error({ reason: message }, 'the new certificate is not used: the old one stays');
      reported = message;
      seen = used;
    }
    return intervalMs;
  });
}

function digestOf({ cert, key, clientCa }: PemFiles): string {
  const hash = createHash('sha256');
  for (const file of [cert, key, clientCa ?? Buffer.alloc(0)]) hash.update(`${file.length}\n`).update(file);
  return hash.digest('hex');
}
