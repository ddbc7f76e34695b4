import { unitVector } from '../memory/unit-vector.ts';

/** The endpoint answered something that cannot be used; asking again would not help. */
export class UnusableAnswer extends Error {
  override readonly name = 'UnusableAnswer';
}

const DETAIL_LENGTH_MAX = 200;

/**
 * Vectors of an answer of `/v1/embeddings`, of length 1, in the order of the texts, whatever order they came in. One of
 * zeros has no direction. Each other must be finite and have `dimension` values; 0 takes what the first one has.
 */
export function vectorsIn(body: string, count: number, dimension: number): (Float32Array | undefined)[] {
  const { data } = parsed(body);
  if (!Array.isArray(data) || data.length !== count) {
    throw new UnusableAnswer(`gave ${Array.isArray(data) ? data.length : 'no'} vectors for ${count} texts`);
  }
  const vectors = new Map<number, Float32Array | undefined>();
  let expected = dimension;
  for (const [place, item] of data.entries()) {
    const { index = place, embedding } = objectOf(item);
    if (typeof index !== 'number' || !Number.isInteger(index) || index < 0 || index >= count || vectors.has(index)) {
      throw new UnusableAnswer(`gave the vectors indexes that are not 0 to ${count - 1}, each once`);
    }
    if (!Array.isArray(embedding) || embedding.length === 0) throw new UnusableAnswer('gave a vector without values');
    expected ||= embedding.length;
    if (embedding.length !== expected) {
      throw new UnusableAnswer(`gave a vector of ${embedding.length} values where ${expected} are due`);
    }
    if (!embedding.every(Number.isFinite)) throw new UnusableAnswer('gave a vector with values that are not finite');
    vectors.set(index, unitVector(embedding as number[]));
  }
  return Array.from({ length: count }, (_, index) => vectors.get(index));
}

/** What an error answer says of itself, if it says it where one would look. Other parts may repeat the texts. */
export function detailIn(body: string): string {
  let answer: Record<string, unknown>;
  try {
    answer = parsed(body);
  } catch (error) {
    if (error instanceof UnusableAnswer) return '';
    throw error;
  }
  const detail = [objectOf(answer.error).message, answer.error, answer.message, answer.detail].find(
    (part) => typeof part === 'string',
  );
  return detail === undefined ? '' : String(detail).slice(0, DETAIL_LENGTH_MAX);
}

function parsed(body: string): Record<string, unknown> {
  try {
    return objectOf(JSON.parse(body));
  } catch (error) {
    if (error instanceof SyntaxError) throw new UnusableAnswer('gave an answer that is not JSON');
    throw error;
  }
}

function objectOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
