import type { Connection } from '../connection.ts';
import type { OutOfRangeError } from '../errors.ts';

/**
 * The log may have gone back to an older state, as when a data folder is replaced by a copy: no read is then to wait for
 * revisions that are lost.
 */
export function noteLoss(connection: Connection, { metadata }: OutOfRangeError): void {
  const newest = metadata['newest_revision'];
  if (newest !== undefined) connection.seenRevision.wentBack(Number(newest));
}
