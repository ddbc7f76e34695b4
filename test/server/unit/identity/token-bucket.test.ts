import { describe, expect, it } from '@jest/globals';
import { TokenBucket } from '../../../../src/server/identity/token-bucket.ts';

const TEN = { perSecond: 10, burst: 3 };

describe('a token bucket', () => {
  it('at first › has the burst, then one unit each time that the rate gives', () => {
    const bucket = new TokenBucket(TEN, 0);
    for (let units = 0; units < 3; units++) {
      expect(bucket.waitMs(TEN, 0)).toBe(0);
      bucket.take(TEN, 0);
    }
    expect(bucket.waitMs(TEN, 0)).toBe(100);
    expect(bucket.waitMs(TEN, 60)).toBe(40);
    expect(bucket.waitMs(TEN, 100)).toBe(0);
  });

  it('unused for long › holds no more than the burst', () => {
    const bucket = new TokenBucket(TEN, 0);
    bucket.take(TEN, 3_600_000, 3);
    expect(bucket.waitMs(TEN, 3_600_000)).toBe(100);
  });

  it('more taken than is there › a debt that the rate pays', () => {
    const bucket = new TokenBucket(TEN, 0);
    bucket.take(TEN, 0, 23);
    expect(bucket.waitMs(TEN, 0)).toBe(2100);
    expect(bucket.waitMs(TEN, 2100)).toBe(0);
  });

  it('a caller that waits as long as it was told, at any rate › is on time', () => {
    for (const perSecond of [0.01, 0.3, 3, 7, 33.3, 999]) {
      const rate = { perSecond, burst: 1 };
      const bucket = new TokenBucket(rate, 0);
      let nowMs = 0;
      for (let round = 0; round < 50; round++) {
        bucket.take(rate, nowMs);
        nowMs += bucket.waitMs(rate, nowMs);
        expect([perSecond, round, bucket.waitMs(rate, nowMs)]).toEqual([perSecond, round, 0]);
      }
    }
  });

  it('another rate › goes on from the present level, at most its burst', () => {
    const bucket = new TokenBucket(TEN, 0);
    const slow = { perSecond: 1, burst: 1 };
    bucket.take(slow, 0);
    expect(bucket.waitMs(slow, 0)).toBe(1000);
    expect(bucket.waitMs(TEN, 0)).toBe(100);
  });

  it('an instant before the last one › counts as no time', () => {
    const bucket = new TokenBucket(TEN, 1000);
    bucket.take(TEN, 1000, 3);
    expect(bucket.waitMs(TEN, 500)).toBe(100);
  });
});
