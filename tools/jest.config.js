export default {
  rootDir: '..',
  roots: ['<rootDir>/test'],
  testMatch: ['**/*.test.ts'],
  // The frameworks' own suites run in `make test-adapters` only, those of the image and the chart in `make test-deploy`; files of the
  // night in `make test-all`, or where they are named.
  testPathIgnorePatterns: [
    'test/adapters',
    'test/deploy',
    ...(process.env.MNEME_ALL_TESTS === '1' ? [] : ['.nightly.test.ts']),
  ].filter((path) => !process.argv.some((arg) => arg.includes(path))),
  testEnvironment: '<rootDir>/tools/jest-environment.ts',
  runtime: '<rootDir>/tools/jest-runtime.ts',
  transform: {},
  // Servers, worker threads and SQLite under two parallel runs on two cores, which others may use too: a test that hangs is found all the same.
  testTimeout: 120_000,
  // Two cores are busy for 60 % of the time with two workers: files wait for timeouts, leases and other processes.
  maxWorkers: 3,
  // A process keeps the modules of the test files that it has run, and what these hold.
  workerIdleMemoryLimit: '1.5GB',
  reporters: ['default', '<rootDir>/tools/jest-totals.ts'],
};
