import { describe, expect, it } from '@jest/globals';
import { durationOf, RequestChecks, spanOf } from '../../../../../src/server/grpc/edge/request-checks.ts';

const BOUNDS = { min: 1000, max: 2000 };
const span = (seconds: bigint, nanos: number) => {
  const checks = new RequestChecks();
  const ms = spanOf(checks, 'ack_deadline', { seconds, nanos }, BOUNDS);
  checks.finish();
  return ms;
};
const duration = (seconds: bigint, nanos: number) => {
  const checks = new RequestChecks();
  const us = durationOf(checks, 'ttl', { seconds, nanos }, 1);
  checks.finish();
  return us;
};

describe('a duration', () => {
  it('with a part of a millisecond, where milliseconds are kept › rounded up', () => {
    expect(span(1n, 1)).toBe(1001);
    expect(span(1n, 500_000_000)).toBe(1500);
    expect(span(2n, 0)).toBe(2000);
  });

  it('with a part of a microsecond › rounded up', () => {
    expect(duration(0n, 1)).toBe(1);
    expect(duration(1n, 1500)).toBe(1_000_002);
  });

  it('beyond its bounds, or with nanoseconds that are no part of a second › refused, with the field and the limit', () => {
    expect(() => span(2n, 1)).toThrow('ack_deadline: must be from 1 s to 2 s, got 2 s 1 ns');
    expect(() => span(0n, 1_500_000_000)).toThrow('ack_deadline.nanos: must be from 0 to 999999999, got 1500000000');
    expect(() => span(2n, -1)).toThrow('ack_deadline.nanos: must be from 0 to 999999999, got -1');
    expect(() => duration(86_400n, 1)).toThrow('ttl: must be more than 0 and at most 1 days');
  });
});
