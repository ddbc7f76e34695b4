import { setImmediate as nextTurn } from 'node:timers/promises';
import { sizeOf } from '../batches.ts';
import type { ImportedMemory } from '../memory.ts';

const COUNT_MAX = 256;
const BYTES_MAX = 1024 * 1024;

/**
 * Batches of what a source has at the moment: a quick source makes large ones, of a slow one each memory is given on
 * as soon as it comes.
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
      // What the source gives at once is taken together; only for the first one is waited.
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
