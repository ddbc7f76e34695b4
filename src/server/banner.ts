import { resolve } from 'node:path';

interface Started {
  readonly address: string;
  /** Empty when metrics are not served. */
  readonly metricsAddress: string;
  /** Whether browsers are served at the address. */
  readonly hasInspector: boolean;
  readonly access: { readonly tls?: { readonly clientCa?: Buffer }; readonly tokens: readonly string[] };
  readonly config: {
    readonly data: string;
    readonly apiKeysFile: string;
    readonly jwtKeys: string;
    readonly metricsTlsCert: string;
  };
  readonly backends: readonly { role: string; technology: string; durability: string }[];
  readonly embedder: { readonly kind: string; readonly model: string };
}

/** The message at startup: addresses, backends, and how to stop the server. */
export function bannerOf(started: Started): string {
  const { address, metricsAddress, hasInspector, access, config, backends, embedder } = started;
  const rows: [string, string][] = [['address', `${address} (${guardsOf(access, config)})`]];
  if (hasInspector && !address.startsWith('unix:')) {
    rows.push(['inspector', `${access.tls ? 'https' : 'http'}://${address}/`]);
  }
  const scheme = config.metricsTlsCert === '' ? 'http' : 'https';
  if (metricsAddress !== '') rows.push(['metrics', `${scheme}://${metricsAddress}/metrics`]);
  rows.push(['data', resolve(config.data)]);
  for (const { role, technology, durability } of backends) rows.push([role, `${technology}, survives ${durability}`]);
  rows.push(['embedder', embedder.kind === 'none' ? 'none: keywords, filters, vectors of clients' : titleOf(embedder)]);
  rows.push(['stop', 'Ctrl-C']);
  const width = Math.max(...rows.map(([name]) => name.length)) + 2;
  return `Mneme is serving.\n${rows.map(([name, value]) => `  ${name.padEnd(width)}${value}\n`).join('')}`;
}

function titleOf({ kind, model }: Started['embedder']): string {
  return `${kind} (${model})`;
}

function guardsOf({ tls, tokens }: Started['access'], { apiKeysFile, jwtKeys }: Started['config']): string {
  const guards = [tls ? `TLS${tls.clientCa ? ' with client certificates' : ''}` : 'plaintext'];
  if (tokens.length > 0) guards.push('bearer tokens');
  if (apiKeysFile !== '') guards.push('API keys');
  if (jwtKeys !== '') guards.push('JWT');
  if (guards.length === 1 && !tls?.clientCa) guards.push('no credentials');
  return guards.join(', ');
}
