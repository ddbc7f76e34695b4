import { existsSync } from 'node:fs';

/** Kysely and zod as one module each, where `make setup` has made them (tools/bundle-packages.ts). */
const ONE_MODULE = existsSync(new URL('../.cache/packages/made-of', import.meta.url)) ? ['one-module'] : [];

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
  runner: '<rootDir>/tools/jest-runner.ts',
  testEnvironment: '<rootDir>/tools/jest-environment.ts',
  testEnvironmentOptions: { customExportConditions: [...ONE_MODULE, 'node', 'node-addons'] },
  extensionsToTreatAsEsm: ['.ts'],
  // Only takes the types away, as Node does when it runs the sources.
  transform: {
    '\\.ts$': [
      '@swc/jest',
      {
        jsc: { parser: { syntax: 'typescript' }, target: 'esnext', experimental: { keepImportAttributes: true } },
        module: { type: 'es6' },
        isModule: true,
      },
    ],
  },
  // Servers, worker threads and SQLite under two parallel runs on two cores, which others may use too: a test that hangs is found all the same.
  testTimeout: 120_000,
  // Two cores are busy for 60 % of the time with two workers: files wait for timeouts, leases and other processes.
  maxWorkers: 3,
  reporters: ['default', '<rootDir>/tools/jest-totals.ts'],
};
