import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { connect } from '../../../clients/typescript/src/index.ts';
import { partsOf } from '../../docs/support/page.ts';
import { serveMneme } from '../support/serve-mneme.ts';
import { connectHttpHost } from './support/http-host.ts';
import { callTool, startMcpHost } from './support/mcp-host.ts';

/** The configurations in the guide start the server. The hosts themselves are not started. */
const blocks = partsOf(await readFile('docs/guides/mcp.md', 'utf8')).flatMap((part) =>
  part.kind === 'other' ? [part] : [],
);
const INSTALLED = '/path/to/mneme/bin/mneme';
const FOLDER = '/path/to/memories';

interface Entry {
  readonly command: string;
  readonly args: readonly string[];
  readonly url?: string;
}

/** What each configuration says of the server: hosts differ in the surrounding format. */
const configured = blocks
  .filter(({ language }) => language === 'json')
  .map(({ text }) => {
    const [servers] = Object.values(JSON.parse(text) as Record<string, { readonly mneme: Entry }>);
    return servers?.mneme;
  });
const entries = configured.filter((entry) => entry?.url === undefined);
const commands = blocks.filter(({ language }) => language === 'sh').map(({ text }) => text.trim().split(' '));

describe('docs/guides/mcp.md', () => {
  it.each(entries)('starts a server by the configuration %j', async (entry) => {
    expect(entry?.command).toBe(INSTALLED);
    const folder = await mkdtemp(join(tmpdir(), 'mneme-mcp-'));
    const [, ...args] = entry?.args ?? [];
    const host = await startMcpHost(
      '2025-11-25',
      args.map((arg) => (arg === FOLDER ? folder : arg)),
    );
    try {
      expect(entry?.args[0]).toBe('mcp');
      await host.call('remember', { text: 'The lock is jammed.' });
      expect((await host.call('recall', { text: 'jammed lock' })).text).toContain('The lock is jammed.');
    } finally {
      await host.close();
      await rm(folder, { recursive: true, force: true });
    }
  });

  it('finds a server by the URL of the configuration', async () => {
    const [url = ''] = configured.flatMap((entry) => entry?.url ?? []);
    const server = await serveMneme();
    const host = await connectHttpHost('2025-11-25', url.replace('127.0.0.1:50051', server.address));
    try {
      await callTool(host.client, 'remember', { text: 'The lock is jammed.' });
      const ada = connect(server.address, { namespace: 'ada' });
      expect((await ada.listPage()).memories).toMatchObject([{ text: 'The lock is jammed.' }]);
      await ada.close();
    } finally {
      await host.close();
      await server.stop();
    }
  });

  it('shows the same in a command as in the configurations', () => {
    expect(entries).toHaveLength(3);
    expect(commands.map((words) => words.slice(words.indexOf('mcp')).join(' '))).toEqual([
      `mcp add mneme -- ${INSTALLED} mcp --data ${FOLDER}`,
    ]);
  });
});
