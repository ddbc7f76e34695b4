import { resolve } from 'node:path';

interface Started {
  readonly address: string;
  /** Empty when metrics are not served. */
  readonly metricsAddress: string;
  readonly access: { readonly tls?: { readonly clientCa?: Buffer }; readonly tokens: readonly string[] };
  readonly data: string;
  readonly backends: readonly { role: string; technology: string; durability: string }[];
  readonly embedder: { readonly kind: string; readonly model: string };
}

/** The message at startup: addresses, backends, and how to stop the server. */
export function bannerOf({ address, metricsAddress, access, data, backends, embedder }: Started): string {
  const rows: [string, string][] = [['address', `${address} (${guardsOf(access)})`]];
  if (metricsAddress !== '') rows.push(['metrics', `http://${metricsAddress}/metrics`]);
  rows.push(['data', resolve(data)]);
  for (const { role, technology, durability } of backends) rows.push([role, `${technology}, survives ${durability}`]);
  rows.push(['embedder', embedder.kind === 'none' ? 'none: keywords, filters, vectors of clients' : titleOf(embedder)]);
  rows.push(['stop', 'Ctrl-C']);
  const width = Math.max(...rows.map(([name]) => name.length)) + 2;
  return `Mneme is serving.\n${rows.map(([name, value]) => `  ${name.padEnd(width)}${value}\n`).join('')}`;
}

function titleOf({ kind, model }: Started['embedder']): string {
  return `${kind} (${model})`;
}

function guardsOf({ tls, tokens }: Started['access']): string {
  const guards: string[] = [];
  if (tls) guards.push(tls.clientCa ? 'TLS with client certificates' : 'TLS');
  if (tokens.length > 0) guards.push('bearer tokens');
  return guards.length > 0 ? guards.join(', ') : 'plaintext, no credentials';
}
