import { describe, expect, it } from '@jest/globals';
import { faultsOf, MODES, roundOf } from '../campaign/schedule.ts';

const ROUNDS = 600;
const numbers = Array.from({ length: ROUNDS }, (_, number) => number);

describe('the schedule of a campaign', () => {
  it('the same seed › the same rounds, each by its number alone; another seed › others', () => {
    const rounds = numbers.map((number) => roundOf('7', 'postgres_redis', number));
    expect(numbers.map((number) => roundOf('7', 'postgres_redis', number))).toEqual(rounds);
    expect(roundOf('7', 'postgres_redis', 100)).toEqual(rounds[100]);
    expect(numbers.map((number) => roundOf('8', 'postgres_redis', number))).not.toEqual(rounds);
  });

  it.each(MODES)('%s › every fault of the mode and no other occurs, and most rounds end with a kill', (mode) => {
    const rounds = numbers.map((number) => roundOf('1', mode, number));
    expect(new Set(rounds.map(({ fault }) => fault))).toEqual(new Set(faultsOf(mode)));
    expect(rounds.filter(({ endsWithKill }) => endsWithKill).length).toBeGreaterThan(ROUNDS * 0.7);
  });

  it('a fault that the machine does not offer › a kill instead, and all other rounds stay as they are', () => {
    for (const number of numbers) {
      const round = roundOf('1', 'embedded', number);
      const without = roundOf('1', 'embedded', number, ['full_disk']);
      expect(without).toEqual(round.fault === 'full_disk' ? { ...round, fault: 'kill' } : round);
    }
  });

  it('two jumps of the clock › differ by less than request ids are kept', () => {
    const offsets = numbers.map((number) => roundOf('1', 'embedded', number).clockOffsetMs);
    expect(Math.max(...offsets) - Math.min(...offsets)).toBeLessThan(86_400_000);
  });
});
