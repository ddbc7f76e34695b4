import { beforeEach, describe, expect, it } from '@jest/globals';
import { Registry } from 'prom-client';
import { type MeasuredQuota, quotaMetrics } from '../../../../src/server/metrics/quota-metrics.ts';

let registry: Registry;
let quotas: MeasuredQuota[];
beforeEach(() => {
  registry = new Registry();
  quotas = [];
  quotaMetrics([registry], () => quotas);
});

const quota = (identity: string, used: number, most = 100): MeasuredQuota => ({
  rule: 'all',
  limit: 'calls',
  identity,
  used,
  most,
});

/** Values by identity. */
async function scraped(name = 'mneme_quota_used'): Promise<Map<string, number>> {
  const lines = (await registry.metrics()).split('\n').filter((line) => line.startsWith(`${name}{`));
  return new Map(lines.map((line) => [/identity="([^"]*)"/.exec(line)?.[1] ?? '', Number(line.split(' ').at(-1))]));
}

describe('gauges of quotas', () => {
  it('use and limit › of each combination, until it is not there any more', async () => {
    quotas = [quota('ada', 3), quota('eve', 7, 10)];
    expect(await scraped()).toEqual(
      new Map([
        ['ada', 3],
        ['eve', 7],
      ]),
    );
    expect((await scraped('mneme_quota_limit')).get('eve')).toBe(10);
    quotas = [quota('ada', 0)];
    expect(await scraped()).toEqual(new Map([['ada', 0]]));
  });

  it('identities that have used nothing › have no series', async () => {
    quotas = [quota('idle', 0)];
    expect((await scraped()).size).toBe(0);
  });

  it('more than 200 combinations › 200 keep their series, and of the rest the fullest is _other', async () => {
    quotas = Array.from({ length: 300 }, (_, at) => quota(`agent-${at}`, 1));
    await scraped();
    quotas = [quota('new', 50), quota('fullest', 30, 40), ...quotas];
    const values = await scraped();
    expect(values.size).toBe(201);
    expect(values.has('agent-199')).toBe(true);
    expect(values.get('_other')).toBe(30);
    expect((await scraped('mneme_quota_limit')).get('_other')).toBe(40);
  });

  it('a combination that is gone › its place is free at the next reading', async () => {
    quotas = Array.from({ length: 200 }, (_, at) => quota(`agent-${at}`, 1));
    await scraped();
    quotas = [...quotas.slice(1), quota('new', 5)];
    await scraped();
    expect((await scraped()).get('new')).toBe(5);
  });
});
