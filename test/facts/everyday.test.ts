import { describe, expect, it } from '@jest/globals';
import { everydayCases, scoreOf } from './everyday/everyday.ts';

describe('everyday sentences, as typed on a phone', () => {
  it.each(['development', 'kept'] as const)('%s half', async (half) => {
    const score = await scoreOf(everydayCases(half));
    console.log(
      half,
      score.right,
      score.wrong,
      score.found,
      score.wanted,
      score.right / (score.right + score.wrong),
      score.found / score.wanted,
    );
    if (half === 'development' && process.env['FAULTS']) console.log(score.faults.join('\n'));
    expect(1).toBe(1);
  });
});
