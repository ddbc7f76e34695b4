import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { connect } from '../../clients/typescript/src/index.ts';
import { startMneme } from '../cli/support/start-mneme.ts';
import { installClient } from '../client/support/install-client.ts';
import { ALL_TESTS } from '../support/all-tests.ts';
import { PATIENT_CLIENT } from '../support/patient.ts';
import { type Command, partsOf, withOutputs } from './support/page.ts';
import { Comparison } from './support/same-output.ts';
import { Shell } from './support/shell.ts';

/**
 * Runs the commands on the pages, each page against a separate server, and compares the output with the page. `make
 * examples` writes the output into the pages instead.
 */
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const GUIDES = 'docs/guides';
const IS_UPDATE = process.env['UPDATE'] === '1';
/** The clock of all examples begins here. */
const NOW_MS = Date.parse('2026-11-21T09:00:00Z');
const ADDRESS = '127.0.0.1:50051';
/** Blocks that are there to be looked at. */
const NOT_RUN = ['mermaid', 'text'];
const PROGRAM = /\.(?:mjs|ts|py)$/;
const FROM_CHECKOUT = ['bin/mneme', 'clients', 'docs', 'deploy', 'proto', '.toolchain'];

let modules = '';
beforeAll(async () => {
  modules = await mkdtemp(join(tmpdir(), 'mneme-docs-modules-'));
  await installClient(modules);
}, 240_000);
afterAll(() => rm(modules, { recursive: true, force: true }));

/** Run where their language is, by `make test-go`, and in test/cli/mcp. */
const RUN_ELSEWHERE = ['go.md', 'mcp.md'];

/** In `make test`; the others are run every night, and by `make examples`. */
const SAMPLE = ['from-chat-to-context.md', 'session.md', 'subscribe.md'];

const guides = (await readdir(join(ROOT, GUIDES)))
  .filter((name) => name.endsWith('.md') && !RUN_ELSEWHERE.includes(name))
  .filter((name) => ALL_TESTS || IS_UPDATE || SAMPLE.includes(name))
  .map((name) => join(GUIDES, name));

describe.each(['README.md', 'docs/cli.md', ...guides.sort()])('%s', (path) => {
  it('prints the documented output', async () => {
    const page = await readFile(join(ROOT, path), 'utf8');
    const printed = await runPage(page);
    if (IS_UPDATE) await writeFile(join(ROOT, path), withOutputs(page, printed));
    const differing = [...printed].map(([command, output]) => ({ command: command.line, output }));
    const shown = [...printed.keys()].map((command) => ({ command: command.line, output: command.output }));
    if (!IS_UPDATE) expect(shown).toEqual(differing);
  }, 480_000);

  it('has no block that is not run', async () => {
    const parts = partsOf(await readFile(join(ROOT, path), 'utf8'));
    const commands = parts.flatMap((part) => (part.kind === 'command' ? [part.line] : []));
    const files = parts.flatMap((part) => (part.kind === 'file' ? [part.name] : []));
    const others = parts.flatMap((part) => (part.kind === 'other' && !NOT_RUN.includes(part.language) ? [part] : []));

    expect(others).toEqual([]);
    expect(files.filter((name) => !commands.some((command) => command.includes(name)))).toEqual([]);
  });
});

/** Commands whose output differs from the page, with their output. */
async function runPage(page: string): Promise<Map<Command, string>> {
  const clock = {
    TZ: 'UTC',
    NODE_OPTIONS: `--import=${new URL('support/fixed-clock.ts', import.meta.url).href}`,
    DOCS_CLOCK_SHIFT_MS: String(NOW_MS - Date.now()),
  };
  const folder = await mkdtemp(join(tmpdir(), 'mneme-docs-'));
  const server = await startMneme({ env: clock });
  const shell = new Shell(folder, shellEnv(clock, server.address));
  const typed = (text: string) => text.replaceAll(ADDRESS, server.address);
  const comparison = new Comparison(NOW_MS);
  const differing = new Map<Command, string>();
  try {
    if (partsOf(page).some((part) => part.kind === 'file' && PROGRAM.test(part.name)))
      await readEncoder(server.address);
    await mkdir(join(folder, 'bin'));
    for (const name of FROM_CHECKOUT) await symlink(join(ROOT, name), join(folder, name));
    await symlink(join(modules, 'node_modules'), join(folder, 'node_modules'));
    await writeFile(join(folder, 'package.json'), '{"type":"module"}');
    for (const part of partsOf(page)) {
      if (part.kind === 'file') await save(join(folder, part.name), typed(part.text));
      if (part.kind !== 'command') continue;
      const printed = await shell.type(comparison.withActualIds(typed(part.line)));
      const output = printed.output.replaceAll(server.address, ADDRESS).replaceAll(folder, '.');
      // Authors of a page see failures; the comparison contains the output of a failure.
      if (IS_UPDATE && printed.code !== 0) console.warn(`exit code ${printed.code}: ${part.line}`);
      if (!comparison.isSame(part.output, output)) differing.set(part, comparison.withPageIds(output));
    }
  } finally {
    await shell.stop();
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  }
  return differing;
}

/**
 * Recalls by programs have 5 seconds, too few for a busy machine where the first one waits for the encoder of sentences.
 * Leaves no namespace.
 */
async function readEncoder(address: string): Promise<void> {
  const mneme = connect(address, { ...PATIENT_CLIENT, namespace: 'before-the-page' });
  try {
    await mneme.store({ text: 'The museum is open.' });
    await mneme.recall('When is the museum open?');
    await mneme.namespaces.delete('before-the-page', { force: true });
  } finally {
    await mneme.close();
  }
}

function shellEnv(clock: Readonly<Record<string, string>>, address: string) {
  const { PATH = '', HOME = '', NODE_COMPILE_CACHE } = process.env;
  return {
    ...clock,
    HOME,
    PATH: `${join(ROOT, 'bin')}:${join(ROOT, '.toolchain/node_modules/.bin')}:${PATH}`,
    LC_ALL: 'C.UTF-8',
    NO_COLOR: '1',
    COLUMNS: '80',
    MNEME_SERVER: address,
    // A busy machine is no server that does not answer.
    MNEME_TIMEOUT: '60s',
    ...(NODE_COMPILE_CACHE !== undefined && { NODE_COMPILE_CACHE }),
  };
}

async function save(path: string, text: string): Promise<void> {
  await mkdir(join(path, '..'), { recursive: true });
  await writeFile(path, text);
}
