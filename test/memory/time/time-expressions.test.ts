import { describe, expect, it } from '@jest/globals';
import { timesNamedIn, withoutTimes } from '../../../src/memory/time/time-expressions.ts';

/** A Wednesday. */
const NOW_US = Date.UTC(2026, 10, 25, 18) * 1000;

function spansOf(text: string): string[] {
  return timesNamedIn(text, NOW_US).map(({ fromUs, untilUs }) => `${minute(fromUs)} ${minute(untilUs)}`);
}

/** Without the time where it is midnight. */
function minute(us: number): string {
  return new Date(us / 1000).toISOString().slice(0, 16).replace('T00:00', '');
}

describe('timesNamedIn', () => {
  it.each([
    ['What did I do yesterday?', ['2026-11-24 2026-11-25']],
    ['the day before yesterday', ['2026-11-23 2026-11-24']],
    ['What is planned for tomorrow?', ['2026-11-26 2026-11-27']],
    ['this morning', ['2026-11-25T04:00 2026-11-25T12:00']],
    ['Who called last night?', ['2026-11-24T18:00 2026-11-25T06:00']],
    ['Who did I meet last week?', ['2026-11-16 2026-11-23']],
    ['last month', ['2026-10-01 2026-11-01']],
    ['next year', ['2027-01-01 2028-01-01']],
    ['last weekend', ['2026-11-21 2026-11-23']],
    ['last Friday', ['2026-11-20 2026-11-21']],
    ['last Wednesday', ['2026-11-18 2026-11-19']],
    ['on Monday', ['2026-11-23 2026-11-24', '2026-11-30 2026-12-01']],
    ['three days ago', ['2026-11-22 2026-11-23']],
    ['in the last 3 days', ['2026-11-22T18:00 2026-11-25T18:00']],
    ['on 1 November 2026', ['2026-11-01 2026-11-02']],
    ['Nov 1st, 2026', ['2026-11-01 2026-11-02']],
    ['on 2026-11-01', ['2026-11-01 2026-11-02']],
    ['on Nov 5', ['2026-11-05 2026-11-06', '2027-11-05 2027-11-06']],
    ['in October', ['2026-10-01 2026-11-01', '2027-10-01 2027-11-01']],
    ['in March 2025', ['2025-03-01 2025-04-01']],
    ['last December', ['2025-12-01 2026-01-01']],
    ['in 2025', ['2025-01-01 2026-01-01']],
    ['last summer', ['2026-06-01 2026-09-01']],
    ['in the winter of 2024', ['2024-12-01 2025-03-01']],
    ['in two weeks', ['2026-12-07 2026-12-14']],
    ['yesterday and in 2024', ['2024-01-01 2025-01-01', '2026-11-24 2026-11-25']],
  ])('%s', (text, expected) => {
    expect(spansOf(text)).toEqual(expected);
  });

  it('an instant some time ago is as precise as its expression', () => {
    const [span] = timesNamedIn('two months ago', NOW_US);
    expect(span && (span.untilUs - span.fromUs) / 86_400_000_000).toBe(32);
    expect(span && (span.fromUs + span.untilUs) / 2).toBe(Date.UTC(2026, 8, 25, 18) * 1000);
  });

  it.each(['It may rain', 'She sat down', 'Give me a second', 'on 31 February 2026', 'room 2025', "today's special"])(
    '%s names no time',
    (text) => {
      expect(spansOf(text)).toEqual([]);
    },
  );

  it('the last day of a month is kept where the other month is shorter', () => {
    const [span] = timesNamedIn('a month ago', Date.UTC(2026, 2, 31) * 1000);
    expect(span && (span.fromUs + span.untilUs) / 2).toBe(Date.UTC(2026, 1, 28) * 1000);
  });

  it('a list of dates yields eight at most', () => {
    expect(timesNamedIn('2026-01-01 '.repeat(20), NOW_US)).toHaveLength(8);
  });
});

describe('withoutTimes', () => {
  it('ignores text that is not a time', () => {
    expect(withoutTimes('What did I eat yesterday with Ann?')).toBe('What did I eat with Ann?');
  });
});
