import { describe, expect, it } from '@jest/globals';
import {
  instantAt,
  instantBefore,
  isoText,
  SECONDS,
  splitInstant,
  utcDayMs,
} from '../../../src/memory/time/instants.ts';
import { zoneNamed } from '../../../src/memory/time/zone.ts';
import { instantIn } from '../../../src/memory/time-window.ts';
import { seededRandom } from '../../support/random.ts';

const MS = { min: SECONDS.min * 1000, max: SECONDS.max * 1000 + 999 };
/** Between which a double holds every microsecond. */
const EXACT_MS = 9_007_199_254_739;

describe('A4 instants from year 1 to 9999', () => {
  it('every millisecond, and near to 1970 every microsecond › comes back as it was, in order', () => {
    const random = seededRandom('instants');
    const edges = [MS.min, -EXACT_MS - 1, -EXACT_MS, -1, 0, EXACT_MS, EXACT_MS + 1, MS.max - 1];
    const drawn = Array.from({ length: 2000 }, () => Math.floor(MS.min + (MS.max - MS.min) * random.next()));
    for (const ms of [...edges, ...drawn]) {
      const us = Math.abs(ms) <= EXACT_MS ? random.int(1000) : 0;
      const atUs = instantAt(ms, us);
      expect([ms, splitInstant(atUs)]).toEqual([ms, { ms, us }]);
      expect(instantAt(ms + 1, 0)).toBeGreaterThan(atUs);
      expect(instantBefore(atUs)).toBeLessThan(atUs);
    }
  });

  it('finer than a millisecond, far from 1970 › is cut off but of the last instant', () => {
    expect(splitInstant(instantAt(MS.max - 1, 999))).toEqual({ ms: MS.max - 1, us: 0 });
    expect(splitInstant(instantAt(MS.max, 998))).toEqual({ ms: MS.max, us: 0 });
    const last = instantAt(MS.max, 999);
    expect([splitInstant(last), isoText(last)]).toEqual([{ ms: MS.max, us: 999 }, '9999-12-31T23:59:59.999999Z']);
    expect(last).toBeGreaterThan(instantAt(MS.max, 0));
    expect(Number(JSON.stringify(last))).toBe(last);
    expect(instantBefore(utcDayMs(10_000, 0, 1) * 1000)).toBe(last);
  });

  it.each([
    ['0001-01-01T00:00:00Z', SECONDS.min * 1000],
    ['0050-06-10T12:00:00.007Z', Date.parse('0050-06-10T12:00:00.007Z')],
    ['9999-12-31T23:59:59.999Z', MS.max],
  ])('the text %s › is its instant', (text, ms) => {
    expect(splitInstant(instantIn(text) ?? 0)).toEqual({ ms, us: 0 });
  });

  it.each(['0000-12-31T23:59:59Z', '0001-01-01T00:00:00+09:00', '9999-12-31T23:59:59-01:00'])(
    'the text %s › is no instant',
    (text) => {
      expect(instantIn(text)).toBeUndefined();
    },
  );

  it('days of years below 100 › begin in those years, in every zone', () => {
    const startUs = Date.parse('0050-06-10T00:00:00Z') * 1000;
    expect(zoneNamed('UTC').instantUs(startUs)).toBe(startUs);
    expect(zoneNamed('Asia/Tokyo').instantUs(startUs)).toBe(Date.parse('0050-06-09T14:41:01Z') * 1000);
    expect(utcDayMs(99, 11, 32)).toBe(Date.parse('0100-01-01T00:00:00Z'));
  });
});
