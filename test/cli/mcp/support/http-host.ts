import { type Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { clientOf, type Revision } from './mcp-host.ts';

export interface HttpHost {
  readonly client: Client;
  close(): Promise<void>;
}

/** The URL of a namespace at a server. */
export function mcpUrl(address: string, namespace?: string): string {
  return `http://${address}/mcp${namespace === undefined ? '' : `/${namespace}`}`;
}

/** A client that is connected to MCP over HTTP. */
export async function connectHttpHost(revision: Revision, url: string, token?: string): Promise<HttpHost> {
  const client = clientOf(revision);
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
  return { client, close: () => client.close() };
}
