import type { RedisConnection } from './connection.ts';
import { patternOf } from './keys.ts';

/** Marker in place of the key: its indexes are erased. */
const ERASED = 'erased with kept changes';

/** Key that every server whose memories are under the prefix sets at its first start. */
export function formerIndexesKey(prefix: string): string {
  return `${prefix}:former-indexes`;
}

/**
 * Erases, once for each key prefix, the search indexes of a former version in Redis: sets and sorted sets of memories,
 * sums of a namespace, and a card of each memory; also its data for absent servers. `onErased` is called with the
 * number of keys, if there were any.
 */
export async function eraseFormerIndexes(
  connection: RedisConnection,
  prefix: string,
  onErased: (keys: number) => void,
): Promise<void> {
  const marker = formerIndexesKey(prefix);
  if (String(await connection.send(marker, ['GET', marker])) === ERASED) return;
  const start = `${prefix}:{`;
  // Hash tags of namespaces have no colon; those of sessions have one.
  const former = /^[^:}]*\}:(?:[iotv]:|(?:sums|below|states)$)/;
  let erased = 0;
  for await (const keys of connection.scan(`${patternOf(start)}*`)) {
    const gone = keys.filter((key) => former.test(key.slice(start.length)));
    await Promise.all(gone.map((key) => connection.send(key, ['UNLINK', key])));
    erased += gone.length;
  }
  await connection.send(marker, ['SET', marker, ERASED]);
  if (erased > 0) onErased(erased);
}
