import { spawnSync } from 'node:child_process';
import { describe, expect, it } from '@jest/globals';

/** Outside Jest, as a user runs it: it shares helpers with the tests, which must not need Jest. */
function bench(...parts: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['test/bench/main.ts', ...parts], {
    encoding: 'utf8',
  });
  return { status, stdout: stdout.trimEnd().split('\n'), stderr };
}

describe('the bench', () => {
  it('asked for its parts › lists them', () => {
    const { status, stdout } = bench('--list');
    expect(status).toBe(0);
    expect(stdout).toEqual(expect.arrayContaining(['get', 'store', 'checkpoint', 'postgres', 'standing', 'ingest']));
  });

  it('with an unknown part › names it, lists the existing ones, and measures nothing', () => {
    const { status, stdout, stderr } = bench('get', 'gte');
    expect(status).toBe(2);
    expect(stderr).toContain('there is no part "gte"');
    expect(stdout).toContain('get');
  });

  it('with a size that is no number › says so, and measures nothing', () => {
    const { status, stderr } = bench('filters', '--sizes', '1000,many');
    expect(status).toBe(2);
    expect(stderr).toContain('--sizes: must be whole numbers from 1 on, such as 10000,100000, got 1000,many');
  });
});
