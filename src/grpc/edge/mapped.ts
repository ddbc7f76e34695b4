/**
 * Takes the message out of what an iterator gave. A promise that was waited for is old for V8, and would keep what it was
 * resolved with, and all of which that is made, until the next full collection.
 */
export function taken<T>(next: IteratorYieldResult<T>): T {
  const { value } = next;
  (next as { value: T | undefined }).value = undefined;
  return value;
}

/**
 * Each message of the source as what is made of it; its error as `failing` tells it. Not a generator: that would keep a
 * message until the next one comes, which for thousands of open streams is long.
 */
export function mapped<T, U>(
  source: AsyncIterable<T>,
  make: (message: T) => U,
  failing: (error: unknown) => unknown = (error) => error,
): AsyncIterable<U> {
  const made = (next: IteratorResult<T>): IteratorResult<U> =>
    next.done === true ? { done: true, value: undefined } : { done: false, value: make(taken(next)) };
  const failed = (error: unknown): never => {
    throw failing(error);
  };
  return {
    [Symbol.asyncIterator](): AsyncIterator<U> {
      const messages = source[Symbol.asyncIterator]();
      return {
        next: () => messages.next().then(made, failed),
        return: async () => {
          await messages.return?.();
          return { done: true, value: undefined };
        },
      };
    },
  };
}
