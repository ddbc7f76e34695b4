import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, type ClientOptions } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { PATIENT_ENV } from '../../../support/patient.ts';
import { PROGRAM } from '../../support/run-mneme.ts';

/** Protocol revisions, each opened as clients of it do. */
export const REVISIONS = ['2025-11-25', '2026-07-28'] as const;
export type Revision = (typeof REVISIONS)[number];

export interface McpHost {
  readonly client: Client;
  /** Output of the process on standard error. */
  said(): string;
  /** Calls a tool: its text, its structured content, and whether it is an error. */
  call(name: string, args: Readonly<Record<string, unknown>>): Promise<Called>;
  close(): Promise<void>;
}

export interface Called {
  readonly text: string;
  readonly structured: Record<string, unknown>;
  readonly isError: boolean;
}

export function clientOf(revision: Revision): Client {
  const versionNegotiation: NonNullable<ClientOptions['versionNegotiation']> =
    revision === '2025-11-25' ? { mode: 'legacy' } : { mode: { pin: revision } };
  return new Client({ name: 'test', version: '1' }, { versionNegotiation });
}

/**
 * Starts `mneme mcp` as a host does, on its standard input and output; with a new data folder unless `args` name a
 * server.
 */
export async function startMcpHost(revision: Revision, args: readonly string[] = []): Promise<McpHost> {
  const data = args.length > 0 ? undefined : await mkdtemp(join(tmpdir(), 'mneme-mcp-'));
  const transport = new StdioClientTransport({
    command: PROGRAM,
    args: ['mcp', '--timeout', '60s', ...(data === undefined ? args : ['--data', data])],
    env: { ...(process.env as Record<string, string>), ...PATIENT_ENV },
    stderr: 'pipe',
  });
  let said = '';
  transport.stderr?.on('data', (chunk: Buffer) => {
    said += chunk;
  });
  const client = clientOf(revision);
  await client.connect(transport);
  return {
    client,
    said: () => said,
    call: (name, input) => callTool(client, name, input),
    async close() {
      await client.close();
      if (data !== undefined) await rm(data, { recursive: true, force: true });
    },
  };
}

export async function callTool(client: Client, name: string, args: Readonly<Record<string, unknown>>): Promise<Called> {
  const { content, structuredContent, isError } = await client.callTool({ name, arguments: { ...args } });
  const text = content.map((part) => (part.type === 'text' ? part.text : `(${part.type})`)).join('\n');
  return { text, structured: (structuredContent ?? {}) as Record<string, unknown>, isError: isError === true };
}
