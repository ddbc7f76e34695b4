import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type ServedMneme, serveMneme } from '../../cli/support/serve-mneme.ts';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const CLIENT = join(ROOT, 'clients/typescript');

let server: ServedMneme;
beforeAll(async () => {
  server = await serveMneme();
});
afterAll(() => server.stop());

it('the example › an agent remembers across threads', async () => {
  const { stdout } = await run(process.execPath, [join(CLIENT, 'langgraph-example.ts'), server.address]);

  expect(stdout).toBe(`I am allergic to nuts. -> I will remember that.
My sister plays the cello. -> I will remember that.
What am I allergic to? -> You said: I am allergic to nuts.
The thread of monday ends with: I will remember that.
`);
}, 120_000);

it('the README › its ten lines work', async () => {
  const readme = await readFile(join(CLIENT, 'src/langgraph/README.md'), 'utf8');
  const [, lines = ''] = /```ts\n(.*?)```/s.exec(readme) ?? [];
  // In the client's folder the packages of the checkout are found.
  const folder = await mkdtemp(join(CLIENT, '.scratch-readme-'));
  const file = join(folder, 'lines.ts');
  const here = lines.replace('@mneme/client/langgraph', '../src/langgraph/index.ts');
  try {
    await writeFile(file, here.replaceAll('127.0.0.1:50051', server.address));

    expect(lines.trim().split('\n')).toHaveLength(10);
    expect((await run(process.execPath, [file])).stdout).toBe('Ada drinks tea without milk.\n');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}, 120_000);
