import type { LoggedRecords } from '../record-log.ts';

/** Complete memories that are in memory and in one transaction of the view at a time. */
const COUNT_MAX = 500;
const BYTES_MAX = 16_777_216;

/** Number of ids whose sizes are asked for together. */
export const SIZED_AT_ONCE = COUNT_MAX;

/** Splits ids, in their order, into batches of about 16 MB of complete memories. A larger memory is a batch of its own. */
export async function sizedBatches(
  records: Pick<LoggedRecords, 'sizes'>,
  namespace: string,
  ids: readonly string[],
  bytesMax = BYTES_MAX,
): Promise<string[][]> {
  const sizes = await records.sizes({ namespace, ids });
  const batches: string[][] = [];
  let batch: string[] = [];
  let bytes = 0;
  for (const id of ids) {
    const size = sizes.get(id) ?? 0;
    if (batch.length > 0 && (batch.length === COUNT_MAX || bytes + size > bytesMax)) {
      batches.push(batch);
      batch = [];
      bytes = 0;
    }
    batch.push(id);
    bytes += size;
  }
  if (batch.length > 0) batches.push(batch);
  return batches;
}
