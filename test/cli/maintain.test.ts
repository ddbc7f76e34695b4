import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { Command } from 'commander';
import { defineMaintain } from '../../src/cli/maintain.ts';
import { cleanUp, onCleanUp } from '../client/support/clean-up.ts';
import { startTestServer } from '../server/grpc/support/test-server.ts';
import { type RunOptions, runMneme } from './support/run-mneme.ts';

afterEach(cleanUp);

async function server() {
  const mneme = await startTestServer({ maintenanceIntervalMs: '86400000' });
  onCleanUp(() => mneme.stop());
  return (args: readonly string[], options: RunOptions = {}) => runMneme([...args, '--server', mneme.address], options);
}

describe('mneme maintain', () => {
  it('nothing to move › is reported', async () => {
    const run = await server();
    await run(['store', 'a memory', '--id', 'm1']);
    expect((await run(['maintain'])).stdout).toBe('nothing to move: every memory is in its tier\n');
  });

  it('--flush --dry-run --verbose › lists the moves and reasons, and moves nothing', async () => {
    const run = await server();
    await run(['store', 'a memory', '--id', 'm1']);
    const { code, stdout } = await run(['maintain', '--flush', '--dry-run', '--verbose']);
    expect([code, stdout.split('\n')]).toEqual([
      0,
      [
        expect.stringMatching(/^default\/m1 {2}short_term -> intermediate {2}flush {2}score 0\.\d{3}$/),
        expect.stringMatching(/^default\/m1 {2}intermediate -> long_term {2}flush {2}score 0\.\d{3}$/),
        'default: 1 would be moved short_term -> intermediate (flush)',
        'default: 1 would be moved intermediate -> long_term (flush)',
        '',
      ],
    ]);
    expect((await run(['get', 'm1'])).stdout).toMatch(/tier +short_term/);
  });

  it('--flush --json › moves, and reports as JSON; list and stats show the tier', async () => {
    const run = await server();
    await run(['store', 'a memory', '--id', 'm1']);
    const { stdout } = await run(['maintain', '--flush', '--json']);
    expect(JSON.parse(stdout)).toEqual({
      dryRun: false,
      movedCount: 2,
      moves: [
        { namespace: 'default', fromTier: 'short_term', toTier: 'intermediate', reason: 'flush', memoryCount: 1 },
        { namespace: 'default', fromTier: 'intermediate', toTier: 'long_term', reason: 'flush', memoryCount: 1 },
      ],
      damaged: [],
    });
    expect((await run(['list', '--tier', 'long_term'])).stdout).toContain('a memory');
    expect((await run(['list', '--tier', 'short_term'])).stderr).toBe('no memories\n');
    expect((await run(['stats', '--namespace', 'default'])).stdout).toMatch(/by tier +long_term 1/);
    expect((await run(['list', '--tier', 'nonsense'])).code).toBe(2);
  });

  it('--all with a namespace › refused; with one that only MNEME_NAMESPACE names › all of them', async () => {
    const run = await server();
    await run(['store', 'a memory', '--id', 'm1']);
    for (const command of [['maintain'], ['reembed'], ['cache', 'clear']]) {
      const { code, stderr } = await run([...command, '--all', '--namespace', 'other']);
      expect([code, stderr]).toEqual([2, expect.stringContaining('--all and --namespace exclude each other')]);
    }
    const { code, stdout } = await run(['maintain', '--all', '--flush'], { env: { MNEME_NAMESPACE: 'other' } });
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^default: 1 moved/)]);
  });

  it('an empty agent › refused, not treated as all of them', async () => {
    const run = await server();
    await run(['store', 'a memory', '--id', 'm1', '--agent', 'ada']);
    for (const command of [
      ['maintain', '--flush'],
      ['clear-tier', 'short_term', '--session', 's'],
    ]) {
      const { code, stderr } = await run([...command, '--agent', '']);
      expect([code, stderr]).toEqual([2, expect.stringContaining('--agent <name>')]);
    }
    expect((await run(['get', 'm1'])).stdout).toMatch(/tier +short_term/);
  });

  it('on a terminal › shows the progress, and removes it at the end', async () => {
    const mneme = await startTestServer({ maintenanceIntervalMs: '86400000' });
    onCleanUp(() => mneme.stop());
    await runMneme(['store', 'a memory', '--id', 'm1', '--server', mneme.address]);
    const written: string[] = [];
    const write = (text: string | Uint8Array) => written.push(String(text)) > 0;
    const { stderr, stdout } = process;
    const terminal = Object.create(stderr, { isTTY: { value: true }, columns: { value: 80 }, write: { value: write } });
    const spies = [
      jest.spyOn(process, 'stderr', 'get').mockReturnValue(terminal as typeof stderr),
      jest.spyOn(stdout, 'write').mockImplementation(write),
    ];
    onCleanUp(() => {
      for (const spy of spies) spy.mockRestore();
    });
    const command = new Command();
    defineMaintain(command);
    await command.parseAsync(['--flush', '--server', mneme.address], { from: 'user' });

    expect(written[0]).toMatch(/moving 1 {2}\d+\.\d s$/);
    expect(written.slice(-2)).toEqual(['\r\u001b[K', expect.stringMatching(/^default: 1 moved/)]);
  });

  it('get --focus › moves the memory up once it has earned it', async () => {
    const run = await server();
    await run(['store', 'a memory', '--id', 'm1']);
    await run(['maintain', '--flush']);
    await run(['get', 'm1', '--focus']);
    expect((await run(['get', 'm1', '--focus'])).stdout).toMatch(/tier +intermediate/);
  });
});

describe('mneme demote and mneme promote', () => {
  it('by id › report the target of each memory; memories already there stay', async () => {
    const run = await server();
    for (const id of ['m1', 'm2']) await run(['store', 'a memory', '--id', id]);
    expect((await run(['demote', 'm1'])).stdout).toBe('m1  short_term -> intermediate\n');
    const { stdout } = await run(['demote', 'm1', 'm2', '--to', 'long_term', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({
      moves: [
        { id: 'm1', fromTier: 'intermediate', toTier: 'long_term' },
        { id: 'm2', fromTier: 'short_term', toTier: 'long_term' },
      ],
      damagedIds: [],
    });
    expect((await run(['demote', 'm1'])).stdout).toBe('nothing to move\n');
    expect((await run(['promote', 'm1', '--to', 'short_term'])).stdout).toBe('m1  long_term -> short_term\n');
    expect((await run(['get', 'm1'])).stdout).toMatch(/tier +short_term/);
  });

  it('no such memory, no such tier › say so, and nothing is moved', async () => {
    const run = await server();
    await run(['store', 'a memory', '--id', 'm1']);
    expect((await run(['demote', 'm1', 'none'])).code).toBe(3);
    for (const [command, to, tiers] of [
      ['promote', 'nonsense', 'short_term, intermediate'],
      ['promote', 'long_term', 'short_term, intermediate'],
      ['demote', 'short_term', 'intermediate, long_term'],
    ] as const) {
      const wrong = await run([command, 'm1', '--to', to]);
      expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining(`Expected one of ${tiers}.`)]);
    }
    expect((await run(['get', 'm1'])).stdout).toMatch(/tier +short_term/);
  });
});

describe('mneme config', () => {
  it('set, shown, taken back', async () => {
    const run = await server();
    expect((await run(['config', 'show'])).stdout).toBe('no settings: all defaults apply\n');
    const changed = await run(['config', 'update', '--set', 'short_term.ttl=2h', '--set', 'cache.entries=10']);
    expect(changed.stdout).toBe('cache.entries   10\nshort_term.ttl  2h\n');
    const back = await run(['config', 'update', '--unset', 'cache.entries', '--json']);
    expect(JSON.parse(back.stdout)).toEqual({ 'short_term.ttl': '2h' });
    expect((await run(['config', 'show'])).stdout).toBe('short_term.ttl  2h\n');
  });

  it('one key wrong among good ones, nothing to change › refused, and nothing is changed', async () => {
    const run = await server();
    const wrong = await run(['config', 'update', '--set', 'short_term.ttl=2h', '--set', 'short_term.colour=red']);
    expect([wrong.code, wrong.stderr]).toEqual([5, expect.stringContaining('short_term.colour')]);
    const inherited = await run(['config', 'update', '--set', '__proto__=1', '--set', 'short_term.ttl=2h']);
    expect([inherited.code, inherited.stderr]).toEqual([5, expect.stringContaining('settings[__proto__]')]);
    expect((await run(['config', 'update'])).code).toBe(2);
    expect((await run(['config', 'show'])).stdout).toBe('no settings: all defaults apply\n');
  });

  it('a key set and taken back at once › refused as a contradiction that names it, and nothing is changed', async () => {
    const run = await server();
    const change = ['--set', 'short_term.ttl=2h', '--set', 'cache.entries=10', '--unset', 'short_term.ttl'];
    for (const command of [
      ['config', 'update'],
      ['namespaces', 'update', 'default'],
    ]) {
      const { code, stderr } = await run([...command, ...change]);
      expect([code, stderr]).toEqual([2, expect.stringMatching(/--set and --unset .* short_term\.ttl\n$/)]);
    }
    expect((await run(['config', 'show'])).stdout).toBe('no settings: all defaults apply\n');
  });
});

describe('mneme clear-tier', () => {
  it('one tier › tells how many, with --dry-run erases nothing; without saying whose it refuses', async () => {
    const run = await server();
    await run(['store', 'a memory', '--id', 'm1', '--agent', 'ada']);
    expect((await run(['clear-tier', 'short_term', '--agent', 'ada', '--dry-run'])).stdout).toBe(
      'would erase 1 memory of short_term\n',
    );
    expect((await run(['clear-tier', 'short_term'])).code).toBe(2);
    expect((await run(['clear-tier', 'nonsense', '--all'])).code).toBe(2);
    expect((await run(['clear-tier', 'long_term', '--all'])).stdout).toBe('erased 0 memories of long_term\n');
    const { stdout } = await run(['clear-tier', 'short_term', '--all', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({ tier: 'short_term', clearedCount: 1, ids: ['m1'], dryRun: false });
  });
});

describe('mneme recall --stream', () => {
  it('memories in two tiers › tells of each tier, and then the answer', async () => {
    const run = await server();
    await run(['store', 'a garden', '--id', 'm1']);
    await run(['maintain', '--flush']);
    await run(['store', 'another garden', '--id', 'm2']);
    const { code, stdout } = await run(['recall', 'garden', '--stream', '--json']);
    const lines = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { tier?: string; hits: { memory: { id: string } }[] });
    expect([code, lines.map(({ tier, hits }) => [tier, hits.map(({ memory }) => memory.id).sort()])]).toEqual([
      0,
      [
        ['short_term', ['m2']],
        ['intermediate', []],
        ['long_term', ['m1']],
        [undefined, ['m1', 'm2']],
      ],
    ]);
    const plain = await run(['recall', 'garden', '--stream']);
    expect(plain.stdout).toMatch(/^short_term: 1\n[\s\S]*long_term: 1\n.*a garden\n.*\nanswer: 2\n(?:.*\n){4}$/);
  });

  it('--tier › only that tier is searched and shown', async () => {
    const run = await server();
    await run(['store', 'a garden', '--id', 'm1']);
    await run(['demote', 'm1']);
    await run(['store', 'another garden', '--id', 'm2']);
    const { stdout } = await run(['recall', 'garden', '--tier', 'intermediate', '--stream']);
    expect(stdout).toMatch(/^intermediate: 1\n.*a garden\n.*\nanswer: 1\n.*a garden\n.* m1\n$/);
    const both = await run(['recall', 'garden', '--tier', 'intermediate', '--tier', 'short_term', '--json']);
    expect((JSON.parse(both.stdout) as { hits: object[] }).hits).toHaveLength(2);
  });
});
