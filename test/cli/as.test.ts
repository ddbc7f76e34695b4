import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { runMneme } from './support/run-mneme.ts';
import { type ServedMneme, serveMneme } from './support/serve-mneme.ts';

let server: ServedMneme;
beforeAll(async () => {
  server = await serveMneme();
  await run(['store', 'tea of ada', '--id', 'ada', '--project', 'p', '--agent', 'ada']);
  await run(['store', 'tea of all', '--id', 'all']);
  await run(['session', 'spawn', 's', '--project', 'p', '--agent', 'ada', '--state', '{"k":"v"}']);
  const set = await run(['agent', 'policy', '--project', 'p', '--agent', 'ada', '--private']);
  expect(set).toMatchObject({ code: 0, stderr: '' });
});
afterAll(() => server.stop());

const run = (args: readonly string[], env: Record<string, string> = {}) =>
  runMneme(args, { env: { MNEME_SERVER: server.address, ...env } });
const listed = async (args: readonly string[], env = {}) => {
  const { stdout } = await run(['list', '--json', ...args], env);
  const lines = stdout.split('\n').filter((line) => line !== '');
  return lines.map((line) => (JSON.parse(line) as { id: string }).id).sort();
};

describe('mneme --as', () => {
  it('the scope, or all of them, by flag or variable › shows private memories', async () => {
    const inside = 'project=p&agent=ada';
    expect(await listed(['--as', inside])).toEqual(['ada', 'all']);
    expect(await listed(['--as', '*'])).toEqual(['ada', 'all']);
    expect(await listed([], { MNEME_AS: inside })).toEqual(['ada', 'all']);
    expect((await run(['session', 'get', 's', 'k', '--as', inside])).stdout).toContain('v');
  });

  it('from elsewhere › shows nothing of it: a hidden value is answered as a missing one', async () => {
    const elsewhere = 'project=p&agent=bob';
    expect(await listed([])).toEqual(['all']);
    expect(await listed([], { MNEME_AS: '' })).toEqual(['all']);
    // The flag overrides the variable.
    expect(await listed(['--as', elsewhere], { MNEME_AS: '*' })).toEqual(['all']);
    expect((await run(['recall', 'tea', '--as', elsewhere])).stdout).not.toContain('ada');
    expect(await run(['get', 'ada', '--as', elsewhere])).toMatchObject({ code: 3, stdout: '' });
    const key = await run(['session', 'get', 's', 'k', '--as', elsewhere]);
    expect(key).toEqual({ code: 1, stdout: '', stderr: 'mneme: no such key: k\n' });
    expect(await run(['session', 'get', 'none', 'k', '--as', elsewhere])).toEqual(key);
    const exported = (as: string) => run(['export', '--as', as]);
    expect((await exported(elsewhere)).stdout).not.toContain('tea of ada');
    expect((await exported('*')).stdout).toContain('tea of ada');
  });

  it.each([
    ['agents=ada', 'agents is not a part of a scope'],
    ['ada', 'ada is not a part of a scope'],
    ['agent=ada&agent=bob', 'agent is set twice'],
  ])('%s › is a wrong command line: the flag is named, and nothing is sent', async (as, problem) => {
    const byFlag = await run(['list', '--as', as], { MNEME_SERVER: '127.0.0.1:1' });
    const byVariable = await run(['list'], { MNEME_SERVER: '127.0.0.1:1', MNEME_AS: as });

    expect([byFlag.code, byFlag.stdout]).toEqual([2, '']);
    expect(byFlag.stderr).toContain('--as');
    expect(byFlag.stderr).toContain(problem);
    expect(byVariable.code).toBe(2);
    expect(byVariable.stderr).toContain('MNEME_AS');
    expect(byVariable.stderr).toContain(problem);
  });

  it('a name that is too long › is refused by the server, which names the part and the limit', async () => {
    const { code, stderr } = await run(['list', '--as', `agent=${'x'.repeat(2000)}`]);

    expect(code).toBe(5);
    expect(stderr).toMatch(/at most \d+ bytes in agent/);
  });
});
