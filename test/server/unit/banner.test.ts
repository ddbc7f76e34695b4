import { expect, it } from '@jest/globals';
import { bannerOf } from '../../../src/server/banner.ts';

const OPEN = { data: '/data', apiKeysFile: '', jwtKeys: '', metricsTlsCert: '' };
const TLS = {};
const WITH_CA = { clientCa: Buffer.from('ca') };

function rowsOf(
  access: Parameters<typeof bannerOf>[0]['access'],
  config: Partial<typeof OPEN> = {},
  hasInspector = true,
  address = '127.0.0.1:50051',
): string {
  const embedder = { kind: 'none', model: '' };
  const metricsAddress = '127.0.0.1:9090';
  return bannerOf({
    address,
    metricsAddress,
    hasInspector,
    access,
    config: { ...OPEN, ...config },
    backends: [],
    embedder,
  });
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

it('the inspector › is named by the address that a browser opens, where there is one', () => {
  expect(rowsOf({ tokens: [] })).toContain('inspector  http://127.0.0.1:50051/');
  expect(rowsOf({ tokens: [], tls: TLS })).toContain('inspector  https://127.0.0.1:50051/');
  expect(rowsOf({ tokens: [] }, {}, false)).not.toContain('inspector');
  expect(rowsOf({ tokens: [] }, {}, true, 'unix:/tmp/socket')).not.toContain('inspector');
});
