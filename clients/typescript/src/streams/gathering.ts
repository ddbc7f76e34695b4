import { setImmediate as nextTurn } from 'node:timers/promises';
import { sizeOf } from '../batches.ts';
import type { ImportedMemory } from '../memory.ts';

const COUNT_MAX = 256;
const BYTES_MAX = 1024 * 1024;

/**
 * Batches of the memories that a source has available: a fast source makes large ones, while each memory of a slow one
 * is passed on immediately.
 */
export async function* gathered<M extends ImportedMemory>(
  source: AsyncIterable<M> | Iterable<M>,
): AsyncGenerator<M[], void, undefined> {
  const iterator: AsyncIterator<M> | Iterator<M> =
    Symbol.asyncIterator in source ? source[Symbol.asyncIterator]() : source[Symbol.iterator]();
  let upcoming: Promise<IteratorResult<M>> | undefined;
  let isDone = false;
  try {
    while (!isDone) {
      const batch: M[] = [];
      let bytes = 0;
      // Items available at once are batched; only the first one is awaited.
      for (;;) {
        upcoming ??= Promise.resolve(iterator.next());
        const next = batch.length === 0 ? await upcoming : await Promise.race([upcoming, nextTurn()]);
        if (next === undefined) break;
        if (next.done) {
          isDone = true;
          break;
        }
        const size = sizeOf(next.value);
        if (batch.length >= COUNT_MAX || (batch.length > 0 && bytes + size > BYTES_MAX)) break;
        upcoming = undefined;
        batch.push(next.value);
        bytes += size;
      }
      if (batch.length > 0) yield batch;
    }
  } finally {
    if (!isDone) {
      upcoming?.catch(() => {});
      await iterator.return?.();
    }
  }
}
