import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PROGRAM, runMneme } from './support/run-mneme.ts';

const COMMANDS = 'serve store recall get list forget stats namespaces import export'.split(' ');

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mneme-cli-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('mneme › starting', () => {
  it('from any folder and through symbolic links › runs', async () => {
    await symlink(PROGRAM, join(folder, 'first'));
    await symlink('first', join(folder, 'second'));

    const { code, stdout, stderr } = await runMneme(['--version'], { program: join(folder, 'second'), cwd: folder });

    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  it('where the host has no Node at all › takes its own, or says what to run', async () => {
    const { code, stdout, stderr } = await runMneme(['--version'], { env: { PATH: '/usr/bin:/bin' } });

    if (code === 0) expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
    else expect(stderr).toContain("run 'make setup'");
  });
});

describe('mneme › help', () => {
  it('without a command › shows what there is and fails as wrong usage', async () => {
    const { code, stderr } = await runMneme([]);

    expect(code).toBe(2);
    for (const command of COMMANDS) expect(stderr).toMatch(new RegExp(`^  ${command} `, 'm'));
  });
});

describe('mneme › whoever reads what it prints goes away', () => {
  it.each([
    ['serve --help', 0],
    ['watch --help', 0],
    ['presets --help', 0],
    ['', 2],
  ])('mneme %s › ends in silence with %i', async (args, wanted) => {
    const child = spawn(PROGRAM, args.split(' ').filter(Boolean), { stdio: ['ignore', 'pipe', 'pipe'] });
    const ended = once(child, 'close');
    let received = '';
    // What is printed comes to one of the two; the other one would tell of a failure.
    const [printed, other] = args === '' ? [child.stderr, child.stdout] : [child.stdout, child.stderr];
    printed.destroy();
    other.setEncoding('utf8').on('data', (text: string) => {
      received += text;
    });
    const [code, signal] = await ended;

    expect([code, signal, received]).toEqual([wanted, null, '']);
  });
});

describe('mneme › wrong usage', () => {
  it.each([
    [['recal', 'tea'], 'Did you mean recall?'],
    [['recall', 'tea', '--limt', '3'], 'Did you mean --limit?'],
    [['recall', 'tea', '--limit', '0'], 'Expected a whole number from 1 to 1000.'],
    [['recall', 'tea', '--since', 'soon'], 'Expected a time, such as'],
    [['recall', 'tea', '--last', '2h', '--during', 'week'], '--last and --during exclude each other'],
    [['server'], "unknown command 'server'. Did you mean serve?"],
    [['serve', '--lisen', '127.0.0.1:0'], 'Did you mean --listen?'],
    [['serve', '--redis-url', 'redis://x'], 'give it by the variable MNEME_REDIS_URL'],
    [['recall'], 'nothing to look for'],
    [['store', 'x', '--ttl', '5 minutes'], 'Expected a span of time, such as'],
    [['store', 'x', '--importance', '2'], 'Expected a number from 0 to 1.'],
    [['list', '--content', 'room'], 'Expected path=value'],
    [['list', '--order', 'random'], 'Allowed choices are'],
    [['get'], "missing required argument 'id'"],
    [['get', 'a b'], "<id>: 'a b' is invalid. Expected the id of a memory"],
    [['forget', ''], 'Expected the id of a memory'],
    [['forget'], 'say which memories in one way'],
    [['forget', 'm1', '--all'], 'say which memories in one way'],
    [['import', '--conflict', 'merge'], 'Allowed choices are keep, replace, fail.'],
  ])('mneme %j › exits with 2 and says what was expected', async (args, message) => {
    const { code, stdout, stderr } = await runMneme(args);

    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/^mneme: [^\n]*\n$/);
    expect(stderr).toContain(message);
  });

  it('with --json › prints the failure as JSON', async () => {
    const { code, stderr } = await runMneme(['recall', 'tea', '--limt', '3', '--json']);

    expect(code).toBe(2);
    expect(JSON.parse(stderr)).toEqual({
      error: {
        code: 'USAGE',
        message: "unknown option '--limt'. Did you mean --limit?",
        metadata: {},
        violations: [],
        retryable: false,
      },
    });
  });
});
