import { describe, expect, it } from '@jest/globals';
import { endOf, timeOf } from '../../src/cli/parse-flag.ts';

/** A Thursday. */
const NOW = new Date('2026-11-26T15:30:45.000Z');

describe('timeOf', () => {
  it.each([
    ['now', '2026-11-26T15:30:45.000Z'],
    ['today', '2026-11-26T00:00:00.000Z'],
    ['Yesterday', '2026-11-25T00:00:00.000Z'],
    ['tomorrow', '2026-11-27T00:00:00.000Z'],
    ['this week', '2026-11-23T00:00:00.000Z'],
    ['last  week', '2026-11-16T00:00:00.000Z'],
    ['next month', '2026-12-01T00:00:00.000Z'],
    ['last year', '2025-01-01T00:00:00.000Z'],
    ['monday', '2026-11-23T00:00:00.000Z'],
    ['thursday', '2026-11-26T00:00:00.000Z'],
    ['last thursday', '2026-11-19T00:00:00.000Z'],
    ['last friday', '2026-11-20T00:00:00.000Z'],
    ['next thursday', '2026-12-03T00:00:00.000Z'],
    ['next friday', '2026-11-27T00:00:00.000Z'],
    ['2 days ago', '2026-11-24T15:30:45.000Z'],
    ['an hour ago', '2026-11-26T14:30:45.000Z'],
    ['in 3 weeks', '2026-12-17T15:30:45.000Z'],
    ['0 days ago', '2026-11-26T15:30:45.000Z'],
    ['9 months ago', '2026-02-26T15:30:45.000Z'],
    ['2026-11-01', '2026-11-01T00:00:00.000Z'],
    ['2026-11-01T15:30', '2026-11-01T15:30:00.000Z'],
    ['2026-11-01 15:30', '2026-11-01T15:30:00.000Z'],
    ['2026-11-01T15:30:00+01:00', '2026-11-01T14:30:00.000Z'],
  ])('%s › is %s', (text, time) => {
    expect(
      timeOf(text, NOW)
        ?.toISOString()
        .replace(/(\.\d{3})\d+Z/, '$1Z'),
    ).toBe(time);
  });

  it('a month before the 31st › is the last day of a shorter month', () => {
    expect(timeOf('1 month ago', new Date('2026-03-31T12:00:00Z'))?.toISOString()).toBe('2026-02-28T12:00:00.000Z');
    expect(timeOf('a year ago', new Date('2024-02-29T12:00:00Z'))?.toISOString()).toBe('2023-02-28T12:00:00.000Z');
  });

  it('fractions of a second › are kept to the microsecond', () => {
    expect(timeOf('2024-05-08T13:56:00.123456Z', NOW)?.toISOString()).toBe('2024-05-08T13:56:00.123456Z');
  });

  it.each([
    '',
    'soon',
    'last',
    'last day',
    '2 days',
    'in 2 days ago',
    '5 fortnights ago',
    '2026-13-01',
    '2026-02-30',
    '2026-04-31T10:00Z',
    '11/01/2026',
  ])('%j › is no time', (text) => {
    expect(timeOf(text, NOW)).toBeUndefined();
  });
});

describe('A7 a day of --until ends after it', () => {
  it.each([
    ['2026-06-10', '2026-06-11T00:00:00.000Z'],
    ['2026-10-25[Europe/Berlin]', '2026-10-25T23:00:00.000Z'],
    ['2026-06-10[America/New_York]', '2026-06-11T04:00:00.000Z'],
    ['yesterday', '2026-11-26T00:00:00.000Z'],
    ['last friday', '2026-11-21T00:00:00.000Z'],
    ['2026-06-10T09:30', '2026-06-10T09:30:00.000Z'],
    ['this week', '2026-11-23T00:00:00.000Z'],
    ['now', '2026-11-26T15:30:45.000Z'],
  ])('%s › %s', (text, end) => {
    expect(endOf(text, NOW)?.toISOString()).toBe(end);
  });

  it('--since begins with the day, in its time zone', () => {
    expect(timeOf('2026-03-29[Europe/Berlin]', NOW)?.toISOString()).toBe('2026-03-28T23:00:00.000Z');
  });
});
