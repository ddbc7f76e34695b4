/** Resolves when all have an answer; fails as the first in the list that fails. */
export async function settled<T extends readonly unknown[]>(
  all: T,
): Promise<{ -readonly [K in keyof T]: Awaited<T[K]> }> {
  const results = await Promise.allSettled(all);
  return results.map((result) => {
    if (result.status === 'rejected') throw result.reason;
    return result.value;
  }) as { -readonly [K in keyof T]: Awaited<T[K]> };
}
