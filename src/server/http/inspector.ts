import { hash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { extname } from 'node:path';
import type { Mount } from './mount.ts';

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** Pages may run, draw and call only what this server serves; no text of a memory can become a script. */
const HEADERS = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; '),
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
};

/** A name with a hash of the content stands for the same bytes for ever. */
const FOR_EVER = 'public, max-age=31536000, immutable';
const ASK_EACH_TIME = 'no-cache';

/** Addresses of pages, which the script of the one page tells apart. */
const PAGE = /^\/(?:|access|keys|n\/.+)$/;

interface File {
  readonly type: string;
  readonly etag: string;
  readonly cacheControl: string;
  readonly plain: Buffer;
  readonly gzip: Buffer;
}

/** Serves the inspector: exactly the files that the bundler wrote, and its page at each of its addresses. */
export class Inspector implements Mount {
  private readonly folder: URL;
  private files: ReadonlyMap<string, File> | undefined;

  /** Files are read with the first request, and kept: a server that runs has one version of them. */
  constructor(folder: URL) {
    this.folder = folder;
  }

  handle(request: IncomingMessage, response: ServerResponse, { pathname }: URL): boolean {
    if (request.method !== 'GET' && request.method !== 'HEAD') return false;
    this.files ??= readFiles(this.folder);
    const file = PAGE.test(pathname) && wantsPage(request) ? this.files.get('/index.html') : this.files.get(pathname);
    if (!file || pathname === '/index.html') return false;
    send(request, response, file);
    return true;
  }
}

/** Programs that ask for the same address get what is meant for programs. */
function wantsPage({ headers }: IncomingMessage): boolean {
  return headers.accept?.includes('text/html') ?? false;
}

function send({ method, headers }: IncomingMessage, response: ServerResponse, file: File): void {
  const { type, etag, cacheControl, plain, gzip } = file;
  const shared = { ...HEADERS, 'cache-control': cacheControl, etag, vary: 'accept, accept-encoding, origin' };
  if (headers['if-none-match']?.split(/\s*,\s*/).some((known) => known.replace(/^W\//, '') === etag)) {
    response.writeHead(304, shared).end();
    return;
  }
  const isZipped = takesGzip(headers['accept-encoding']);
  const body = isZipped ? gzip : plain;
  response.writeHead(200, {
    ...shared,
    ...(isZipped && { 'content-encoding': 'gzip' }),
    'content-type': type,
    'content-length': body.length,
  });
  response.end(method === 'HEAD' ? undefined : body);
}

function takesGzip(accepted: string | string[] = ''): boolean {
  return String(accepted)
    .split(',')
    .some((one) => /^\s*(?:gzip|\*)\s*(?:;|$)/.test(one) && !/;\s*q=0(?:\.0*)?\s*$/.test(one));
}

/** By address. None where nothing was bundled: a checkout that runs from its sources. */
function readFiles(folder: URL): ReadonlyMap<string, File> {
  const files = new Map<string, File>();
  for (const inside of ['', 'assets/']) {
    for (const name of namesIn(new URL(inside, folder))) {
      if (TYPES[extname(name)] === undefined) continue;
      const plain = readFileSync(new URL(`${inside}${name}`, folder));
      files.set(`/${inside}${name}`, {
        type: TYPES[extname(name)] ?? '',
        etag: `"${hash('sha256', plain).slice(0, 16)}"`,
        cacheControl: inside === '' ? ASK_EACH_TIME : FOR_EVER,
        plain,
        gzip: readFileSync(new URL(`${inside}${name}.gz`, folder)),
      });
    }
  }
  return files;
}

function namesIn(folder: URL): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
