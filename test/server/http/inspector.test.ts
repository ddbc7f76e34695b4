import { request } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openInspector } from '../../../src/server/assembly/open-inspector.ts';
import { configFrom } from '../../../src/server/config/config.ts';
import { type BuiltInspector, builtInspector } from '../../support/built-inspector.ts';
import { startTestServer, type TestServer } from '../grpc/support/test-server.ts';

const PAGE = { accept: 'text/html,application/xhtml+xml' };
/** Of all that a browser loads. */
const COMPRESSED_BYTES_MAX = 400_000;

let server: TestServer;
let built: BuiltInspector;
beforeAll(async () => {
  built = await builtInspector();
  server = await startTestServer({}, { inspector: built.folder });
});
afterAll(async () => {
  await server.stop();
  built.remove();
});

interface Answer {
  readonly status: number | undefined;
  readonly headers: Record<string, string | string[] | undefined>;
  readonly body: Buffer;
}

/** Unlike `fetch`, it decodes nothing. */
function get(path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const [host = '', port = ''] = server.address.split(':');
    const asked = request({ host, port, path, method, headers, agent: false }, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('end', () => {
        resolve({ status: response.statusCode, headers: response.headers, body: Buffer.concat(parts) });
      });
    });
    asked.on('error', reject).end();
  });
}

const assetsOf = (page: string) => [...page.matchAll(/"(\/assets\/[^"]+)"/g)].map(([, path = '']) => path);

describe('pages', () => {
  it.each(['/', '/access', '/n/default/memories', '/n/a%20b/memories/x'])(
    '%s is the page for a browser',
    async (path) => {
      const { status, headers, body } = await get(path, PAGE);

      expect(status).toBe(200);
      expect(headers['content-type']).toBe('text/html; charset=utf-8');
      expect(headers['cache-control']).toBe('no-cache');
      expect(headers['content-security-policy']).toMatch(/^default-src 'none'; script-src 'self';/);
      expect(body.toString()).toContain('<div id="app">');
      expect(body.toString()).not.toMatch(/<script(?! type="module" src="\/assets\/)|style=|https?:/);
    },
  );

  it('are no answers for programs', async () => {
    expect(JSON.parse((await get('/')).body.toString())).toHaveProperty('version');
    expect((await get('/n/default/memories', { accept: '*/*' })).status).toBe(404);
    expect((await get('/n/default/memories', PAGE, 'POST')).status).not.toBe(200);
  });

  it('exist only as they are named', async () => {
    for (const path of [
      '/index.html',
      '/assets/',
      '/assets/../index.html',
      '/assets/main.js',
      '/none',
      '/assets/%2e%2e/x',
    ]) {
      expect([path, (await get(path)).status]).toEqual([path, 404]);
    }
  });
});

describe('files', () => {
  it('are compressed, kept for ever by their names, and small', async () => {
    const page = await get('/', { ...PAGE, 'accept-encoding': 'br, gzip' });
    const paths = assetsOf(gunzipSync(page.body).toString());
    const found = await Promise.all(paths.map((path) => get(path, { 'accept-encoding': 'gzip' })));
    const bytes = [page, ...found].map(({ body }) => body.length).reduce((sum, length) => sum + length);

    expect(paths).toHaveLength(3);
    expect(found.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(found.map(({ headers }) => headers['cache-control'])).toEqual(
      paths.map(() => 'public, max-age=31536000, immutable'),
    );
    expect(bytes).toBeLessThan(COMPRESSED_BYTES_MAX);
  });

  it('are plain where gzip is not accepted, and without a body for HEAD', async () => {
    const [path = ''] = assetsOf((await get('/', PAGE)).body.toString());
    const [zipped, plain, refused, head] = await Promise.all([
      get(path, { 'accept-encoding': 'gzip' }),
      get(path),
      get(path, { 'accept-encoding': 'gzip;q=0, identity' }),
      get(path, { 'accept-encoding': 'gzip' }, 'HEAD'),
    ]);

    expect(zipped.headers['content-encoding']).toBe('gzip');
    expect(plain.headers['content-encoding']).toBeUndefined();
    expect(gunzipSync(zipped.body)).toEqual(plain.body);
    expect(refused.body).toEqual(plain.body);
    expect(head.headers['content-length']).toBe(String(zipped.body.length));
    expect(head.body).toHaveLength(0);
  });

  it('that a browser has are not sent again', async () => {
    const { headers } = await get('/', PAGE);
    const again = await get('/', { ...PAGE, 'if-none-match': `"other", W/${String(headers['etag'])}` });

    expect(again.status).toBe(304);
    expect(again.body).toHaveLength(0);
  });
});

describe('who is served', () => {
  it('is whoever reaches loopback, and elsewhere callers with credentials', () => {
    const tls = { tlsCert: 'cert.pem', tlsKey: 'key.pem' };
    const isServed = (flags: Record<string, string>) => openInspector(configFrom({ flags, env: {} })).length > 0;

    expect(isServed({ listen: '127.0.0.1:0' })).toBe(true);
    expect(isServed({ listen: 'unix:/tmp/socket' })).toBe(true);
    expect(isServed({ listen: '127.0.0.1:0', inspector: 'off' })).toBe(false);
    expect(isServed({ listen: '0.0.0.0:0', allowInsecure: 'true' })).toBe(false);
    expect(isServed({ listen: '0.0.0.0:0', ...tls, apiKeysFile: 'keys.json' })).toBe(true);
    expect(isServed({ listen: '0.0.0.0:0', ...tls, tlsClientCa: 'ca.pem' })).toBe(true);
  });
});
