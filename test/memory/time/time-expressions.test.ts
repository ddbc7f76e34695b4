import { describe, expect, it } from '@jest/globals';
import { timesNamedIn, withoutTimes } from '../../../src/memory/time/time-expressions.ts';
import { zoneNamed } from '../../../src/memory/time/zone.ts';

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
    ['yesterday and in 2024', ['2026-11-24 2026-11-25', '2024-01-01 2025-01-01']],
    ['on 18.03.2026', ['2026-03-18 2026-03-19']],
    ['am 1.3.2026', ['2026-03-01 2026-03-02']],
    ['on 18.03.26', ['2026-03-18 2026-03-19']],
    ['on 18/03/2026', ['2026-03-18 2026-03-19']],
    ['on 3/18/2026', ['2026-03-18 2026-03-19']],
    ['on 3/18/26', ['2026-03-18 2026-03-19']],
    ['on 18-03-2026', ['2026-03-18 2026-03-19']],
    ['on 2026/3/18', ['2026-03-18 2026-03-19']],
    ['on 2026.03.18', ['2026-03-18 2026-03-19']],
    ['on 20260318', ['2026-03-18 2026-03-19']],
    ['at 2026-03-18T10:30:00Z', ['2026-03-18 2026-03-19']],
    ['2026年3月18日', ['2026-03-18 2026-03-19']],
    ['2026년 3월 18일', ['2026-03-18 2026-03-19']],
    ['on 3/4/2026', ['2026-03-04 2026-03-05', '2026-04-03 2026-04-04']],
    ['in Q3 2025', ['2025-07-01 2025-10-01']],
    ['in the third quarter of 2025', ['2025-07-01 2025-10-01']],
    ['in Q3', ['2026-07-01 2026-10-01', '2027-07-01 2027-10-01']],
    ['last quarter', ['2026-07-01 2026-10-01']],
    ['this quarter', ['2026-10-01 2027-01-01']],
    ['in week 12 of 2026', ['2026-03-16 2026-03-23']],
    ['calendar week 53 2026', ['2026-12-28 2027-01-04']],
    ['CW 12', ['2026-03-16 2026-03-23', '2027-03-22 2027-03-29']],
    ['2026-W01', ['2025-12-29 2026-01-05']],
    ['the week of 18 March 2026', ['2026-03-16 2026-03-23']],
    ['since Monday', ['2026-11-23 2026-11-25T18:00']],
    ['since March', ['2026-03-01 2026-11-25T18:00']],
    ['since 2024', ['2024-01-01 2026-11-25T18:00']],
    ['since last week', ['2026-11-16 2026-11-25T18:00']],
    ['since 18.03.2026', ['2026-03-18 2026-11-25T18:00']],
    ['from Monday to Wednesday', ['2026-11-23 2026-11-26']],
    ['between March and June', ['2026-03-01 2026-07-01']],
    ['between 1 March 2025 and 3 April 2025', ['2025-03-01 2025-04-04']],
  ])('%s', (text, expected) => {
    expect(spansOf(text)).toEqual(expected);
  });

  it('an instant some time ago is as precise as its expression', () => {
    const [span] = timesNamedIn('two months ago', NOW_US);
    expect(span && (span.untilUs - span.fromUs) / 86_400_000_000).toBe(32);
    expect(span && (span.fromUs + span.untilUs) / 2).toBe(Date.UTC(2026, 8, 25, 18) * 1000);
  });

  it.each([
    'It may rain',
    'She sat down',
    'Give me a second',
    'on 31 February 2026',
    'room 2025',
    "today's special",
    'version 3.10.12',
    'on 31/31/2026',
    'on 32.01.2026',
    'ratio 3/4',
    'calendar week 54',
    'order 20260318',
    'a character \ue000 of private use',
  ])('%s names no time', (text) => {
    expect(spansOf(text)).toEqual([]);
  });

  it('the last day of a month is kept where the other month is shorter', () => {
    const [span] = timesNamedIn('a month ago', Date.UTC(2026, 2, 31) * 1000);
    expect(span && (span.fromUs + span.untilUs) / 2).toBe(Date.UTC(2026, 1, 28) * 1000);
  });

  it.each([
    ['today', 'Asia/Tokyo', '2026-11-20T20:00+09:00', '2026-11-19T15:00 2026-11-20T15:00'],
    ['this morning', 'Asia/Tokyo', '2026-11-20T20:00+09:00', '2026-11-19T19:00 2026-11-20T03:00'],
    ['yesterday', 'America/Los_Angeles', '2026-11-20T20:00-08:00', '2026-11-19T08:00 2026-11-20T08:00'],
    ['yesterday', '-08:00', '2026-11-20T20:00-08:00', '2026-11-19T08:00 2026-11-20T08:00'],
    ['yesterday', 'Europe/Berlin', '2026-10-26T08:00+01:00', '2026-10-24T22:00 2026-10-25T23:00'],
    ['in the past 3 hours', 'Europe/Berlin', '2026-10-25T03:30+01:00', '2026-10-24T23:30 2026-10-25T02:30'],
    ['since yesterday', 'Europe/Berlin', '2026-10-25T02:30+01:00', '2026-10-23T22:00 2026-10-25T01:30'],
    ['last month', 'Pacific/Auckland', '2026-11-01T06:00+13:00', '2026-09-30T11:00 2026-10-31T11:00'],
    ['on 18.03.2026', 'Asia/Kolkata', '2026-11-20T20:00Z', '2026-03-17T18:30 2026-03-18T18:30'],
  ])('%s in %s, asked at %s', (text, timeZone, at, expected) => {
    const [span] = timesNamedIn(text, Date.parse(at) * 1000, zoneNamed(timeZone));
    expect(span && `${minute(span.fromUs)} ${minute(span.untilUs)}`).toBe(expected);
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
