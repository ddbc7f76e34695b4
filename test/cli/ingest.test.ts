import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { runMneme } from './support/run-mneme.ts';
import { type ServedMneme, serveMneme } from './support/serve-mneme.ts';

let server: ServedMneme;
beforeAll(async () => {
  server = await serveMneme();
});
afterAll(() => server.stop());

const lines = (...memories: object[]) => memories.map((memory) => `${JSON.stringify(memory)}\n`).join('');
const mneme = (args: readonly string[], stdin = '') => runMneme(args, { stdin, env: { MNEME_SERVER: server.address } });

describe('mneme ingest', () => {
  it('lines of a pipe › are stored, and continuing after a line stores nothing twice', async () => {
    const inSpace = ['--namespace', 'pipe', '--stream-id', 's'];
    const first = await mneme(['ingest', ...inSpace], lines({ text: 'a' }, { text: 'b' }));
    const all = lines({ text: 'a' }, { text: 'b' }, { text: 'c' });
    const second = await mneme(['ingest', ...inSpace, '--after', '1', '--json'], all);
    const listed = await mneme(['list', '--namespace', 'pipe', '--json']);

    expect([first.code, first.stdout]).toEqual([0, 'stored 2, already there 0, refused 0\n']);
    expect(second.code).toBe(0);
    expect(JSON.parse(second.stdout.trim().split('\n').at(-1) ?? '')).toMatchObject({ acknowledged: 3, stored: 1 });
    expect(listed.stdout.trim().split('\n')).toHaveLength(3);
  });

  it('a memory that cannot be stored › is reported by its number, and by the exit code', async () => {
    const { code, stdout, stderr } = await mneme(['ingest', '--namespace', 'bad'], lines({ text: 'a' }, { text: '' }));
    expect(code).toBe(9);
    expect(stdout).toBe('stored 1, already there 0, refused 1\n');
    expect(stderr).toMatch(/memory 2: .*must have a text/);
  });

  it('5,000 lines that are wrong › the first three and the number of the others', async () => {
    const { code, stderr } = await mneme(['ingest', '--namespace', 'wrong'], 'no memory\n'.repeat(5000));
    expect(code).toBe(5);
    expect(stderr.split('\n')).toEqual([
      expect.stringMatching(/^mneme: stdin:1:1: /),
      expect.stringMatching(/^mneme: stdin:2:1: /),
      expect.stringMatching(/^mneme: stdin:3:1: /),
      'mneme: and 4997 more lines like these',
      'mneme: 5000 lines were not stored',
      '',
    ]);
  });
});
