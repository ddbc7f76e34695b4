import { readFileSync } from 'node:fs';
import type { ConnectionOptions } from 'node:tls';

/** Parameters of a URL that are taken out of it: the driver would read the files, and give some modes another meaning. */
const TLS_PARAMETERS = ['ssl', 'sslmode', 'sslrootcert', 'sslcert', 'sslkey', 'sslnegotiation', 'uselibpqcompat'];

export interface ConnectionSettings {
  readonly connectionString: string;
  readonly options: string;
  /** False: without TLS. */
  readonly ssl: false | ConnectionOptions;
  readonly keepAlive: true;
  readonly keepAliveInitialDelayMillis: number;
}

/** Silence after which either side looks whether the other one is there; the default of Linux is two hours. */
const SILENCE_SECONDS = 30;
/** A session whose server is gone has locks until PostgreSQL notices it. Connections by a Unix socket ignore them. */
const KEEPALIVE = [
  ['tcp_keepalives_idle', SILENCE_SECONDS],
  ['tcp_keepalives_interval', 5],
  ['tcp_keepalives_count', 3],
  ['tcp_user_timeout', SILENCE_SECONDS * 1000],
].map(([name, value]) => `-c ${name}=${value}`);

/**
 * Settings of a connection with options of a server; those of the URL come first, as later ones count. `tlsCa`: PEM file
 * of authorities, in place of `sslrootcert` of the URL.
 */
export function connectionOf(url: string, own: string, tlsCa = ''): ConnectionSettings {
  const [address = '', query = ''] = url.split('?', 2);
  const parameters = new URLSearchParams(query);
  const options = [...KEEPALIVE, ...parameters.getAll('options'), own].join(' ');
  const ssl = tlsOf(parameters, tlsCa);
  for (const name of ['options', ...TLS_PARAMETERS]) parameters.delete(name);
  return {
    connectionString: `${address}?${parameters}`,
    options,
    ssl,
    keepAlive: true,
    keepAliveInitialDelayMillis: SILENCE_SECONDS * 1000,
  };
}

/** As libpq: `require` checks the certificate only where authorities are named. */
function tlsOf(parameters: URLSearchParams, tlsCa: string): false | ConnectionOptions {
  const mode = parameters.get('sslmode') ?? 'disable';
  if (mode === 'disable') return false;
  const [ca, cert, key] = [tlsCa || parameters.get('sslrootcert'), parameters.get('sslcert'), parameters.get('sslkey')];
  const files = {
    ...(ca && { ca: contentsOf(ca) }),
    ...(cert && key && { cert: contentsOf(cert), key: contentsOf(key) }),
  };
  if (mode === 'require' && !ca) return { ...files, rejectUnauthorized: false };
  return { ...files, ...(mode !== 'verify-full' && { checkServerIdentity: () => undefined }) };
}

function contentsOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new Error(`the file ${path} cannot be read (${(cause as NodeJS.ErrnoException).code})`, { cause });
  }
}

/** Host, port and database of a URL, without user and password. */
export function addressOf(url: string): string {
  const [address = '', query = ''] = url.replace(/^[^/]*\/\//, '').split('?', 2);
  const [authority = '', database = ''] = address.split('/', 2);
  const host = authority.slice(authority.lastIndexOf('@') + 1);
  return `${host || (new URLSearchParams(query).get('host') ?? '')}${database === '' ? '' : `/${database}`}`;
}
