/**
 * Whether this is a run of `make test-all`, as every night: with each version of PostgreSQL, and files `*.nightly.test.ts`, beside what
 * `make test` runs.
 */
export const ALL_TESTS = process.env['MNEME_ALL_TESTS'] === '1';
