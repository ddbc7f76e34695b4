import { expect, it } from '@jest/globals';
import { bannerOf } from '../../../src/server/banner.ts';

const OPEN = { data: '/data', apiKeysFile: '', jwtKeys: '', metricsTlsCert: '' };
const TLS = {};
const WITH_CA = { clientCa: Buffer.from('ca') };

function rowsOf(access: Parameters<typeof bannerOf>[0]['access'], config: Partial<typeof OPEN> = {}): string {
  const address = '127.0.0.1:50051';
  const embedder = { kind: 'none', model: '' };
  const metricsAddress = '127.0.0.1:9090';
  return bannerOf({ address, metricsAddress, access, config: { ...OPEN, ...config }, backends: [], embedder });
}

it.each([
  [{ tokens: [] }, {}, 'plaintext, no credentials'],
  [{ tokens: [] }, { apiKeysFile: '/keys' }, 'plaintext, API keys'],
  [{ tokens: [], tls: TLS }, {}, 'TLS, no credentials'],
  [{ tokens: [], tls: TLS }, { jwtKeys: '/jwks' }, 'TLS, JWT'],
  [{ tokens: [], tls: WITH_CA }, {}, 'TLS with client certificates'],
  [{ tokens: ['t'], tls: WITH_CA }, {}, 'TLS with client certificates, bearer tokens'],
])('access %j with %j › %s', (access, config, guards) => {
  expect(rowsOf(access, config)).toContain(`127.0.0.1:50051 (${guards})`);
});

it.each([
  ['', 'http://127.0.0.1:9090/metrics'],
  ['/cert', 'https://127.0.0.1:9090/metrics'],
])('metrics with the certificate "%s" › %s', (metricsTlsCert, url) => {
  expect(rowsOf({ tokens: [] }, { metricsTlsCert })).toContain(` ${url}`);
});
