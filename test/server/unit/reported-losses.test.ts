import { describe, expect, it } from '@jest/globals';
import { ReportedLosses } from '../../../src/server/reported-losses.ts';

describe('losses since the start', () => {
  it.each([
    [10, []],
    [11, ['1 more loss since was reported in the log only']],
    [500, ['490 more losses since were reported in the log only']],
  ])('%d times › ten are named, and how many more there were', (count, more) => {
    const losses = new ReportedLosses();
    const all = Array.from({ length: count }, (_, at) => `namespaces/n${at}: lost`);
    for (const loss of all) losses.note(loss);
    expect(losses.texts).toEqual([...all.slice(0, 10), ...more]);
  });
});
