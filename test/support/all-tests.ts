/**
 * Whether this is a run of `make test-all`, as every night: with each version of PostgreSQL, files `*.nightly.test.ts` and all rounds
 * of random tests, beside what `make test` runs.
 */
export const ALL_TESTS = process.env['MNEME_ALL_TESTS'] === '1';

/** Amount of work of a test: all of it every night, a sample with the same promises in `make test`. */
export function sized({ sample, nightly }: { readonly sample: number; readonly nightly: number }): number {
  return ALL_TESTS ? nightly : sample;
}

/** Subjects of a test that is slow: all of them every night, the first one in `make test`, which has faster tests of the others. */
export function firstOrAll<Subject>(subjects: readonly Subject[]): readonly Subject[] {
  return ALL_TESTS ? subjects : subjects.slice(0, 1);
}
