import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { partsOf } from '../../docs/support/page.ts';
import { startMcpHost } from './support/mcp-host.ts';

/** The configurations in the guide start the server. The hosts themselves are not started. */
const blocks = partsOf(await readFile('docs/guides/mcp.md', 'utf8')).flatMap((part) =>
  part.kind === 'other' ? [part] : [],
);
const INSTALLED = '/path/to/mneme/bin/mneme';
const FOLDER = '/path/to/memories';

interface Entry {
  readonly command: string;
  readonly args: readonly string[];
}

/** The command of each configuration: hosts differ in the surrounding format. */
const entries = blocks
  .filter(({ language }) => language === 'json')
  .map(({ text }) => {
    const [servers] = Object.values(JSON.parse(text) as Record<string, { readonly mneme: Entry }>);
    return servers?.mneme;
  });
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

  it('shows the same in a command as in the configurations', () => {
    expect(entries).toHaveLength(3);
    expect(commands.map((words) => words.slice(words.indexOf('mcp')).join(' '))).toEqual([
      `mcp add mneme -- ${INSTALLED} mcp --data ${FOLDER}`,
      'mcp --http 127.0.0.1:8090',
    ]);
  });
});
