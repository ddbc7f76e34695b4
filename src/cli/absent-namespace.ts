import { NotFoundError } from '../../clients/typescript/src/index.ts';

/** The result of a call, or that of an empty namespace where there is none yet: nothing was stored in it. */
export async function orEmpty<Result>(call: Promise<Result>, empty: Result): Promise<Result> {
  try {
    return await call;
  } catch (error) {
    if (isAbsentNamespace(error)) return empty;
    throw error;
  }
}

/** Items of a namespace; none where there is no namespace yet. */
export async function* eachOrNone<Item>(items: AsyncIterable<Item>): AsyncGenerator<Item, void, undefined> {
  try {
    yield* items;
  } catch (error) {
    if (!isAbsentNamespace(error)) throw error;
  }
}

function isAbsentNamespace(error: unknown): boolean {
  return error instanceof NotFoundError && error.reason === 'NAMESPACE_NOT_FOUND';
}
