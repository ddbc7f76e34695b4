import type { Connection } from '../connection.ts';
import type { OutOfRangeError } from '../errors.ts';

/**
 * The log may have been restored to an older state, as when a data folder is replaced by a copy: reads must not wait
 * for lost revisions.
 */
export function noteLoss(connection: Connection, { metadata }: OutOfRangeError): void {
  const newest = metadata['newest_revision'];
  if (newest !== undefined) connection.seenRevision.wentBack(Number(newest));
}
