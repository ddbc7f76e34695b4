import { describe, expect, it } from '@jest/globals';
import { isTimeZone } from '../../src/memory/time/zone.ts';
import { type CalendarPeriod, stretchOf, zonedWindow } from '../../src/memory/time-window.ts';

const us = (iso: string) => Date.parse(iso) * 1000;

function period(name: CalendarPeriod, timeZone: string, now: string, ago = 0): [string, string] {
  const { fromUs = 0, untilUs = 0 } = stretchOf({ kind: 'period', period: name, ago, timeZone }, us(now));
  return [new Date(fromUs / 1000).toISOString(), new Date(untilUs / 1000).toISOString()];
}

describe('stretchOf', () => {
  it('last › both ends are inside', () => {
    expect(stretchOf({ kind: 'last', spanUs: 60_000_000 }, 100_000_000)).toEqual({
      fromUs: 40_000_000,
      untilUs: 100_000_001,
    });
  });

  it('day › begins at midnight of the zone', () => {
    expect(period('day', 'UTC', '2024-05-08T23:59:59Z')).toEqual([
      '2024-05-08T00:00:00.000Z',
      '2024-05-09T00:00:00.000Z',
    ]);
    expect(period('day', 'Asia/Kolkata', '2024-05-08T20:00:00Z')).toEqual([
      '2024-05-08T18:30:00.000Z',
      '2024-05-09T18:30:00.000Z',
    ]);
  });

  it('day › has 23 hours when clocks are put forward, and 25 when they are put back', () => {
    expect(period('day', 'Europe/Paris', '2024-03-31T12:00:00Z')).toEqual([
      '2024-03-30T23:00:00.000Z',
      '2024-03-31T22:00:00.000Z',
    ]);
    expect(period('day', 'Europe/Paris', '2024-10-27T12:00:00Z')).toEqual([
      '2024-10-26T22:00:00.000Z',
      '2024-10-27T23:00:00.000Z',
    ]);
  });

  it('day › that has no midnight begins where the clocks go on', () => {
    expect(period('day', 'America/Sao_Paulo', '2017-10-15T15:00:00Z')).toEqual([
      '2017-10-15T03:00:00.000Z',
      '2017-10-16T02:00:00.000Z',
    ]);
  });

  it('day › that has two midnights begins at the first', () => {
    expect(period('day', 'America/Havana', '2024-11-03T15:00:00Z')[0]).toBe('2024-11-03T04:00:00.000Z');
  });

  it('week › begins on Monday, also when that is in the month before', () => {
    expect(period('week', 'UTC', '2024-05-05T12:00:00Z')).toEqual([
      '2024-04-29T00:00:00.000Z',
      '2024-05-06T00:00:00.000Z',
    ]);
    expect(period('week', 'UTC', '2024-05-06T00:00:00Z', 1)[0]).toBe('2024-04-29T00:00:00.000Z');
  });

  it('month and year › go back over their borders', () => {
    expect(period('month', 'UTC', '2024-01-31T12:00:00Z', 2)).toEqual([
      '2023-11-01T00:00:00.000Z',
      '2023-12-01T00:00:00.000Z',
    ]);
    expect(period('year', 'America/New_York', '2024-07-04T12:00:00Z', 1)).toEqual([
      '2023-01-01T05:00:00.000Z',
      '2024-01-01T05:00:00.000Z',
    ]);
  });
});

describe('zonedWindow', () => {
  it('the zone of a question › is that of a window of the calendar that has none', () => {
    const window = { kind: 'period', period: 'day', ago: 0 } as const;
    expect(zonedWindow(window, 'Asia/Tokyo')).toEqual({ ...window, timeZone: 'Asia/Tokyo' });
    expect(zonedWindow({ ...window, timeZone: 'Europe/Bern' }, 'Asia/Tokyo').timeZone).toBe('Europe/Bern');
  });
});

describe('isTimeZone', () => {
  it('accepts only IANA names and offsets', () => {
    const names = ['Europe/Paris', 'UTC', '+09:00', '-03:30', 'Mars/Olympus', '', '+25:00'];
    expect(names.map(isTimeZone)).toEqual([true, true, true, true, false, false, false]);
  });
});
