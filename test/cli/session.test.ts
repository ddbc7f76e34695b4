import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { runMneme } from './support/run-mneme.ts';
import { type ServedMneme, serveMneme } from './support/serve-mneme.ts';

let server: ServedMneme;
beforeAll(async () => {
  server = await serveMneme();
});
afterAll(() => server.stop());

const session = async (...args: string[]) => runMneme(['session', ...args, '--server', server.address]);
const json = async (...args: string[]) => {
  const { stdout } = await session(...args, '--json');
  return stdout
    .trim()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
};

describe('mneme session', () => {
  it('keys › are set, shown, listed by pattern and deleted', async () => {
    await session('set', 'a', 'plan', '{"steps": 3}', '--ttl', '2h');
    await session('set', 'a', 'name', 'Caroline');
    await session('set', 'a', 'count', '7', '--text');
    expect(await json('get', 'a', 'plan', 'name', 'count')).toMatchObject([
      { key: 'plan', value: { steps: 3 }, expireTime: expect.any(String) },
      { key: 'name', value: 'Caroline', mediaType: 'text/plain' },
      { key: 'count', value: '7' },
    ]);
    expect((await session('keys', 'a', '*n*', '--values')).stdout).toBe(
      'count  7\nname  Caroline\nplan  {"steps": 3}\n',
    );
    expect((await session('unset', 'a', 'plan', 'nothing')).stdout).toBe('deleted plan\nno such key: nothing\n');
    const missing = await session('get', 'a', 'plan');
    expect(missing).toMatchObject({ code: 1, stdout: '', stderr: 'mneme: no such key: plan\n' });
    expect((await session('clear', 'a')).stdout).toBe('deleted 2 keys and 0 notes\n');
  });

  it('a default time to live › holds from then on; without keys delete takes the session away', async () => {
    await session('set', 'd', 'a', '1', '--default-ttl', '2h');
    await session('set', 'd', 'b', '1');
    await session('set', 'd', 'c', '1', '--no-expiry');
    await session('note', 'd', 'one');
    const keys = (await json('keys', 'd')) as { key: string; expireTime?: string }[];
    expect(keys.map(({ key, expireTime }) => [key, expireTime !== undefined])).toEqual([
      ['a', true],
      ['b', true],
      ['c', false],
    ]);
    expect(await session('delete', 'd')).toMatchObject({ stdout: '', stderr: expect.stringContaining('is active') });
    expect((await session('delete', 'd', '--force')).stdout).toBe('deleted with 3 values, 1 note, 0 checkpoints\n');
    expect(await json('keys', 'd')).toEqual([]);
  });

  it('a version that is not there › is reported, and nothing changes', async () => {
    await session('set', 'b', 'k', '1');
    const { code, stderr } = await session('set', 'b', 'k', '2', '--if-version', '0');
    expect(code).toBe(6);
    expect(stderr).toContain('its version is 1');
    expect(await json('get', 'b', 'k')).toMatchObject([{ value: 1 }]);
  });

  it('task and scratchpad › are kept and shown', async () => {
    expect((await session('task', 'c')).stdout).toBe('no task state\n');
    await session('task', 'c', '--description', 'find the harbour', '--steps', '4');
    await session('task', 'c', '--progress', '40', '--status', 'in_progress', '--step', '2');
    expect((await session('task', 'c')).stdout).toBe('in progress, 40 %, step 2 of 4\nfind the harbour\n');
    await session('task', 'c', '--description', '');
    expect((await session('task', 'c')).stdout).toBe('in progress, 40 %, step 2 of 4\n');
    await session('note', 'c', 'one', 'two');
    expect(await json('notes', 'c', '--newest', '--limit', '1')).toMatchObject([{ sequence: 2, text: 'two' }]);
    expect(await json('stats', 'c')).toMatchObject([{ noteCount: 2, hasTaskState: true, keyCount: 0 }]);
  });

  it('checkpoints › are made, compared, restored, forked and deleted', async () => {
    await session('set', 'd', 'k', '1');
    expect((await session('checkpoint', 'd', 'first', '--description', 'a start')).stdout).toBe('first\n');
    await session('set', 'd', 'k', '2');
    await session('set', 'd', 'more', '1');
    expect((await session('diff-checkpoints', 'd', 'first')).stdout).toBe('~ k\n+ more\n  0 keys unchanged\n');
    expect((await session('restore-checkpoint', 'd', 'first')).stdout).toBe('restored 1 key, removed 1\n');
    expect((await session('fork-checkpoint', 'd', 'first', 'e')).stdout).toBe('e holds 1 key and 0 notes\n');
    expect(await json('checkpoints', 'd')).toMatchObject([{ id: 'first', description: 'a start', keyCount: 1 }]);
    await session('drop-checkpoint', 'd', 'first');
    const { code, stderr } = await session('restore-checkpoint', 'd', 'first');
    expect(code).toBe(3);
    expect(stderr).toContain('has no checkpoint first');
  });

  it('watch › shows what happened after a revision', async () => {
    await session('set', 'f', 'k', '1');
    await session('note', 'f', 'n');
    const events = await json('watch', 'f', '--after', '0', '--limit', '2', '--values');
    expect(events).toMatchObject([{ kind: 'set', key: 'k', entry: { value: 1 } }, { kind: 'scratchpad_appended' }]);
  });
});
