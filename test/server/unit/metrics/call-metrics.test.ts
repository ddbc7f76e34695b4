import { describe, expect, it } from '@jest/globals';
import { Gauge, Registry } from 'prom-client';
import { callMetrics } from '../../../../src/server/metrics/call-metrics.ts';
import { Exposition } from '../../../../src/server/metrics/exposition.ts';

const METHODS = Array.from({ length: 120 }, (_, n) => `mneme.v1.Service/Method${n}`);
const STATUSES = ['OK', 'CANCELLED', ...Array.from({ length: 15 }, (_, n) => `STATUS_${n + 1}`)];
/** The last ones, which end after the room for failures is full. */
const STREAMS: ReadonlySet<string> = new Set(METHODS.slice(-15));
const SERIES_MAX = 14_000;
const CALL = { durationMs: 3, sentBytes: 10, receivedBytes: 20 };

describe('X8 metrics of calls', () => {
  it('every method with every status › a bounded number of series, in which every call is counted', async () => {
    const registry = new Registry();
    const calls = callMetrics([registry]);
    for (const method of METHODS) {
      for (const status of STATUSES) calls.callEnded(method, status, { ...CALL, isStream: STREAMS.has(method) });
    }
    const text = await new Exposition(registry).read();
    const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
    expect(lines.length).toBeLessThan(SERIES_MAX);
    const counts = lines.filter((line) => line.startsWith('grpc_server_call_duration_seconds_count'));
    const total = counts.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
    expect(total).toBe(METHODS.length * STATUSES.length);
    expect(counts.filter((line) => line.includes('grpc_status="OK"')).length).toBe(METHODS.length);
    const cancelled = counts.filter((line) => line.includes('grpc_status="CANCELLED"')).join('\n');
    for (const method of STREAMS) expect(cancelled).toContain(`grpc_method="${method}"`);
    expect(counts.some((line) => line.includes('grpc_method="_other",grpc_status="STATUS_15"'))).toBe(true);
  });

  it('readers at the same time › share one exposition, the same as that of the registry; the next one reads anew', async () => {
    const registry = new Registry();
    let reads = 0;
    new Gauge({
      name: 'reads',
      help: 'Reads.',
      registers: [registry],
      async collect() {
        this.reset();
        await Promise.resolve();
        this.set(++reads);
      },
    });
    callMetrics([registry]).callStarted('mneme.v1.Service/Method');
    const exposition = new Exposition(registry);
    const texts = await Promise.all(Array.from({ length: 8 }, () => exposition.read()));
    expect([new Set(texts).size, reads]).toEqual([1, 1]);
    expect(texts[0]).toContain('reads 1\n');
    const whole = await registry.metrics();
    expect(await exposition.read()).toBe(whole.replace('reads 2', 'reads 3'));
  });
});
