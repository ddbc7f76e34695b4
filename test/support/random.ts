import { mulberry32 } from '../../tools/eval/mulberry32.ts';

/** Random numbers for tests: the same seed gives the same run. `MNEME_TEST_SEED` sets it; otherwise it is printed. */
export interface TestRandom {
  readonly seed: string;
  /** At least 0, less than 1. */
  next(): number;
  /** Whole number from 0 to `below - 1`. */
  int(below: number): number;
  chance(probability: number): boolean;
  pick<T>(items: readonly T[]): T;
}

export function seededRandom(label: string, seed = process.env['MNEME_TEST_SEED'] ?? String(Date.now())): TestRandom {
  process.stderr.write(`${label}: MNEME_TEST_SEED=${seed}\n`);
  return randomOf(label, seed);
}

/** The same without a line of output. */
export function randomOf(label: string, seed: string): TestRandom {
  const hash = [...`${label}:${seed}`].reduce((sum, sign) => (Math.imul(sum, 31) + (sign.codePointAt(0) ?? 0)) | 0, 7);
  const next = mulberry32(hash);
  const int = (below: number): number => Math.floor(next() * below);
  return {
    seed,
    next,
    int,
    chance: (probability) => next() < probability,
    pick: (items) => {
      const item = items[int(items.length)];
      if (item === undefined) throw new Error('nothing to pick from');
      return item;
    },
  };
}
