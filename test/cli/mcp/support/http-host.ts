import { type Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { PATIENT_ENV } from '../../../support/patient.ts';
import { LiveMneme } from '../../support/live-mneme.ts';
import { clientOf, type Revision } from './mcp-host.ts';

export interface HttpHost {
  readonly client: Client;
  readonly url: string;
  close(): Promise<void>;
}

/** `mneme mcp --http` on a free port. */
export async function startHttpMcp(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const mneme = new LiveMneme(['mcp', '--http', '127.0.0.1:0', '--timeout', '60s', ...args], {
    ...PATIENT_ENV,
    ...env,
  });
  await mneme.says(/MCP at http:\S+\n/);
  const [, url = ''] = /MCP at (http:\S+)/.exec(mneme.stderr) ?? [];
  return { url, stop: () => mneme.interrupt() };
}

/** The same with a client that is connected to it. */
export async function startHttpHost(revision: Revision, args: readonly string[]): Promise<HttpHost> {
  const { url, stop } = await startHttpMcp(args);
  const client = clientOf(revision);
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  return {
    client,
    url,
    async close() {
      await client.close();
      await stop();
    },
  };
}
