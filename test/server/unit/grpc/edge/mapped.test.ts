import { describe, expect, it } from '@jest/globals';
import { mapped } from '../../../../../src/server/grpc/edge/stream-messages.ts';

/** Yields the given items, and records whether it was closed. */
function source(results: (number | Error)[]) {
  const provided: IteratorResult<number>[] = [];
  const state = { provided, isLeft: false };
  const iterator: AsyncIterator<number> = {
    async next() {
      const result = results.shift();
      if (result instanceof Error) throw result;
      const next: IteratorResult<number> =
        result === undefined ? { done: true, value: undefined } : { done: false, value: result };
      provided.push(next);
      return next;
    },
    async return() {
      state.isLeft = true;
      return { done: true, value: undefined };
    },
  };
  return Object.assign(state, { [Symbol.asyncIterator]: () => iterator });
}

async function all<T>(messages: AsyncIterable<T>): Promise<T[]> {
  const read: T[] = [];
  for await (const message of messages) read.push(message);
  return read;
}

describe('messages that are mapped', () => {
  it('arrive in order, each mapped, followed by the end', async () => {
    expect(await all(mapped(source([1, 2, 3]), (value) => value * 10))).toEqual([10, 20, 30]);
  });

  it('are not retained by the source: an awaited promise would retain its value', async () => {
    const numbers = source([1, 2]);
    await all(mapped(numbers, String));
    expect(numbers.provided.map(({ value }) => value)).toEqual([undefined, undefined, undefined]);
  });

  it('when the source fails › its mapped error', async () => {
    const messages = mapped(source([1, new Error('gone')]), String, (error) => new Error(`query: ${String(error)}`));
    await expect(all(messages)).rejects.toThrow('query: Error: gone');
  });

  it('when the mapping fails › fails, and the reader closes the source', async () => {
    const numbers = source([1]);
    const messages = mapped(numbers, () => {
      throw new Error('cannot be written');
    })[Symbol.asyncIterator]();
    await expect(messages.next()).rejects.toThrow('cannot be written');
    await messages.return?.();
    expect(numbers.isLeft).toBe(true);
  });

  it('when the reader leaves early › the source is let go', async () => {
    const numbers = source([1, 2, 3]);
    for await (const message of mapped(numbers, String)) if (message === '2') break;
    expect(numbers.isLeft).toBe(true);
  });
});
