import { describe, expect, it } from '@jest/globals';
import { sized } from '../support/all-tests.ts';
import { growthIn } from './memory-growth.ts';
import { type Round, runFuzz } from './run-fuzz.ts';

/** 100,000 take 94 s of CPU of server and caller, as measured. */
const MESSAGES = sized({ sample: 15_000, nightly: 100_000 });
/** Methods that no message reaches with success; which of them a few messages reach varies with the order of answers. */
const UNANSWERED_MAX = sized({ sample: 18, nightly: 12 });
const SEED = process.env['MNEME_TEST_SEED'] ?? String(Date.now());
const MIB = 1_048_576;

describe('the short form of `make fuzz`', () => {
  it('messages made from the descriptors, to every method › no defect, no crash, no growth, and nothing else changed', async () => {
    process.stderr.write(`make fuzz ARGS='--messages ${MESSAGES} --seed ${SEED}'\n`);
    const { findings, rounds, methods, unanswered, messages } = await runFuzz({ messages: MESSAGES, seed: SEED });
    const shown = findings.map(({ round, text }) => `--seed ${SEED} --round ${round}: ${text}`);
    expect([shown, growthIn(rounds)]).toEqual([[], undefined]);
    expect(messages).toBeGreaterThanOrEqual(MESSAGES);
    expect(methods).toBeGreaterThan(110);
    // Requests that are all refused would find little.
    expect(unanswered.length).toBeLessThan(UNANSWERED_MAX);
  }, 1_800_000);
});

describe('growth of memory', () => {
  const rounds = (...mebibytes: number[]): Round[] =>
    mebibytes.map((size, number) => ({ number, messages: 0, bytes: size * MIB }));

  it('of a cache that fills up › none', () => {
    expect(growthIn(rounds(100, 200, 300, 350, 400, 410, 405, 420, 415, 410))).toBeUndefined();
  });

  it('of a leak › found', () => {
    const leak = Array.from({ length: 20 }, (_, at) => 300 + at * 40);
    expect(growthIn(rounds(...leak))).toContain('memory grows from');
  });
});
