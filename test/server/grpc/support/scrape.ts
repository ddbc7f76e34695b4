import { expect } from '@jest/globals';
import type { TestServer } from './test-server.ts';

/** Values of a server's Prometheus metrics, by metric and labels. */
export async function scrape({ server }: Pick<TestServer, 'server'>): Promise<Map<string, number>> {
  const response = await fetch(`http://${server.metricsAddress}/metrics`);
  expect(response.headers.get('content-type')).toContain('text/plain');
  const lines = (await response.text()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ')))]),
  );
}
