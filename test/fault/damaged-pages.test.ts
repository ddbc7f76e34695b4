import { describe, expect, it } from '@jest/globals';
import { sized } from '../support/all-tests.ts';
import { runTrials } from './campaign/damage-trials.ts';

const COUNT = sized({ sample: 8, nightly: 40 });
const SEED = process.env['MNEME_TEST_SEED'] ?? String(Date.now());
const TIMEOUT_MS = 120_000 + COUNT * 10_000;
/** For the end of the trials' process, which must not outlive the test. */
const END_MS = 10_000;

describe('a damaged page of any table or index', () => {
  it(
    'Get, List, Count, Recall, Store, Export of everything › right, or DATA_LOSS, or named; never a crash',
    async () => {
      process.stderr.write(`damaged pages: MNEME_TEST_SEED=${SEED}\n`);
      const { trials, findings } = await runTrials({ count: COUNT, seed: SEED, msMax: TIMEOUT_MS - END_MS });
      expect(findings).toEqual([]);
      expect(trials).toHaveLength(COUNT);
    },
    TIMEOUT_MS,
  );
});
