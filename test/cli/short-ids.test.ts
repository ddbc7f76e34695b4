import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { runMneme } from './support/run-mneme.ts';
import { type ServedMneme, serveMneme } from './support/serve-mneme.ts';

const ONE = '0190a3c2-7f5e-7cc0-b2a1-3f1b9e2d4c55';
const OTHER = '0190a3c2-9999-7cc0-b2a1-3f1b9e2d4c56';

let data: string;
let server: ServedMneme;
beforeAll(async () => {
  data = await mkdtemp(join(tmpdir(), 'mneme-cli-ids-'));
  server = await serveMneme({ data, flags: ['--embedder', 'none'] });
  await stored(ONE, 'Ada plays the cello.');
  await stored(OTHER, 'Bob paints.');
  await stored('20261125', 'A day.');
  await stored('20261125-1111-7cc0-b2a1-3f1b9e2d4c55', 'An hour of that day.');
});
afterAll(async () => {
  await server.stop();
  await rm(data, { recursive: true, force: true });
});

const mneme = (...args: readonly string[]) => runMneme(args, { env: { MNEME_SERVER: server.address } });

async function stored(id: string, text: string): Promise<void> {
  expect(await mneme('store', text, '--id', id)).toMatchObject({ code: 0 });
}

describe('the beginning of an id', () => {
  it('of one memory › names it in every command that takes an id', async () => {
    expect((await mneme('get', '0190a3c2-7f', '--json')).stdout).toContain(`"id":"${ONE}"`);
    expect((await mneme('get', '0190a3c2-7f', '--revisions')).stdout).toContain('Ada plays the cello.');
    expect((await mneme('update', '0190a3c2-7f', '--tag', 'music')).stdout).toMatch(`updated ${ONE}, version `);
    expect((await mneme('sequence', '0190a3c2-7f')).stdout).toContain('> Ada plays the cello.');
    expect((await mneme('demote', '0190a3c2-7f')).stdout).toBe(`${ONE}  short_term -> intermediate\n`);
    expect((await mneme('recall', '--similar-to', '0190a3c2-7f', '--min-relevance', '0')).code).toBe(0);
    const { stdout: next } = await mneme('supersede', '0190a3c2-7f', 'Ada plays the viola.');
    expect(JSON.parse((await mneme('get', '0190a3c2-7f', '--json')).stdout)).toMatchObject({
      supersededBy: next.trim(),
    });
    await stored('0190a3c3-0000-7cc0-b2a1-3f1b9e2d4c55', 'for a moment');
    expect((await mneme('forget', '0190a3c3')).stdout).toBe('forgot 1 memory\n');
  }, 240_000);

  it('of several memories › is refused, and all of them are named', async () => {
    const { code, stderr, stdout } = await mneme('forget', '0190a3c2');
    expect([code, stdout]).toEqual([5, '']);
    expect(stderr).toBe(
      `mneme: several ids begin with 0190a3c2: ${OTHER} (Bob paints.), ${ONE} (Ada plays the cello.). Give more characters of the id.\n`,
    );
    expect((await mneme('get', ONE, OTHER)).code).toBe(0);
  }, 240_000);

  it('of no memory › is reported; what is shorter or no UUID is a whole id; a whole id is never a beginning', async () => {
    const none = await mneme('get', 'abcdef00', '--json');
    expect(none.code).toBe(3);
    expect(JSON.parse(none.stderr)).toMatchObject({
      error: { code: 'NOT_FOUND', message: expect.stringContaining('no memory has an id that begins with abcdef00') },
    });
    for (const id of ['0190a3', 'door-state']) {
      const { code, stderr } = await mneme('get', id);
      expect([code, stderr]).toEqual([3, expect.stringContaining(`memories/${id} does not exist`)]);
    }
    expect((await mneme('get', '20261125')).stdout).toContain('A day.');
  }, 240_000);
});
