/** Parts of the server that analyse memories after they are stored. */
const READERS = ['ranker', 'passages', 'encoder'];

/** Repeats a question while the server reports that it has not analysed everything yet. */
export async function untilRead<A extends { readonly degraded: readonly { readonly part: string }[] }>(
  ask: () => Promise<A>,
  readers: readonly string[] = READERS,
): Promise<A> {
  for (;;) {
    const answer = await ask();
    if (!answer.degraded.some(({ part }) => readers.includes(part))) return answer;
  }
}
