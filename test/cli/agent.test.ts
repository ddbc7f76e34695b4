import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { runMneme } from './support/run-mneme.ts';
import { type ServedMneme, serveMneme } from './support/serve-mneme.ts';

let server: ServedMneme;
beforeAll(async () => {
  server = await serveMneme();
});
afterAll(() => server.stop());

const run = (...args: string[]) => runMneme(args, { env: { MNEME_SERVER: server.address } });

describe('mneme agent', () => {
  it('from spawn to terminate › reports each step, and recall finds the episode', async () => {
    const spawned = await run(
      'session',
      'spawn',
      'trip',
      '--agent',
      'ada',
      '--state',
      '{"city":"Oslo"}',
      '--note',
      'run=1',
    );
    const paused = await run('session', 'pause', 'trip', '--checkpoint', 'night', '--description', 'sleep');
    const shown = await run('session', 'show', 'trip');
    const resumed = await run('session', 'resume', 'trip', '--merge');
    const ended = await run('session', 'terminate', 'trip', '--outcome', 'partial', '--task', 'book the ferry');
    const recalled = await run('recall', 'ferry', '--json');

    expect(spawned).toMatchObject({ code: 0, stdout: 'trip\n' });
    expect(paused).toMatchObject({ code: 0, stdout: 'paused with checkpoint night of 1 value\n' });
    expect(shown.stdout).toMatch(/state +paused, takes no writes\n/);
    expect(shown.stdout).toMatch(/checkpoint +night .* 1 value {2}sleep\n/);
    expect(resumed).toMatchObject({ code: 0, stdout: 'resumed with 1 value\n' });
    expect(ended.stdout).toMatch(/^terminated with partial, remembered as [0-9a-f-]{36}\n$/);
    expect(recalled.stdout).toContain('book the ferry');
  });

  it('a session with times to live › shows them; it is deleted with its contents, when active only with --force', async () => {
    await run('session', 'spawn', 'ttl', '--state', '{"city":"Oslo"}', '--default-ttl', '2h', '--idle-ttl', '1d');
    await run('session', 'spawn', 'kept', '--no-default-ttl', '--no-idle-ttl');
    const shown = await run('session', 'show', 'ttl');
    const kept = await run('session', 'show', 'kept', '--json');
    const keys = await run('session', 'keys', 'ttl', '--json');
    const nothing = await run('session', 'spawn', 'nothing', '--default-ttl', '0s');
    const refused = await run('session', 'delete', 'ttl');
    const deleted = await run('session', 'delete', 'ttl', '--force');
    const gone = await run('session', 'show', 'ttl');

    expect(shown.stdout).toMatch(/default ttl +2h\n/);
    expect(shown.stdout).toMatch(/idle ttl +1d\nends if idle +20\d\d-/);
    expect(Object.keys(JSON.parse(kept.stdout) as object)).not.toContain('defaultTtlMs');
    expect(JSON.parse(keys.stdout)).toMatchObject({ key: 'city', expireTime: expect.any(String) });
    expect(nothing.stderr).toContain('default_ttl: must be more than 0');
    expect(refused.code).not.toBe(0);
    expect(refused.stderr).toContain('is active: terminate it first, or delete it with force');
    expect(deleted).toMatchObject({ code: 0, stdout: 'deleted with 1 value, 0 notes, 0 checkpoints\n' });
    expect(gone.stderr).toContain('does not exist');
  });

  it('with --json › prints the result of the client', async () => {
    const { stdout } = await run('session', 'spawn', 'json', '--json');
    await run('session', 'pause', 'json');
    const list = await run('session', 'list', '--state', 'paused', '--json');
    const lines = await run('session', 'list', '--state', 'paused');
    const shown = await run('session', 'show', 'json', '--json');

    expect(JSON.parse(stdout)).toMatchObject({ session: { id: 'json', state: 'active' }, hookReports: [] });
    expect(
      list.stdout
        .trim()
        .split('\n')
        .map((line) => (JSON.parse(line) as { id: string }).id),
    ).toEqual(['json']);
    expect(lines.stdout).toMatch(/^json {2}paused {2}\d{4}-\d\d-\d\d(?: \d\d:\d\d)?\n$/);
    expect(JSON.parse(shown.stdout)).toMatchObject({ frozen: true, checkpoints: [{ keyCount: 0 }] });
  });

  it('events of a consumer › are printed once, however often it is run', async () => {
    await run('session', 'spawn', 'e1', '--namespace', 'events');
    await run('session', 'pause', 'e1', '--namespace', 'events');
    const events = (...flags: string[]) => run('session', 'events', '--namespace', 'events', '--limit', '1', ...flags);
    const first = await events('--from-oldest', '--consumer', 'c');
    const second = await events('--consumer', 'c', '--json');

    expect(first.stdout).toMatch(/e1 {2}spawn\n$/);
    expect(JSON.parse(second.stdout)).toMatchObject({ transition: 'pause', session: { id: 'e1' } });
  });

  it('a transition that is not allowed › exit code 6, and the reason', async () => {
    await run('session', 'spawn', 'twice');
    const again = await run('session', 'spawn', 'twice');
    const resumed = await run('session', 'resume', 'twice');
    const missing = await run('session', 'show', 'nobody');

    expect(again).toMatchObject({ code: 6 });
    expect(resumed).toMatchObject({ code: 6 });
    expect(resumed.stderr).toContain('resume is not allowed');
    expect(missing.code).toBe(3);
  });

  it("snapshot, fork, diff and rollback › restore an agent's memories", async () => {
    await run('store', 'then', '--agent', 'ada', '--id', 'old');
    const taken = await run('agent', 'snapshot', 'ada', '--id', 'before');
    const forked = await run('agent', 'fork-snapshot', 'before', 'eve');
    await run('store', 'later', '--agent', 'ada', '--id', 'new');
    const diff = await run('agent', 'diff-snapshot', 'before');
    const rolledBack = await run('agent', 'restore-snapshot', 'before');
    const listed = await run('agent', 'snapshots', '--json');

    expect(taken).toMatchObject({ code: 0, stdout: 'before\n' });
    expect(forked.stdout).toMatch(/^copied \d+ memor(?:y|ies) to eve\n$/);
    expect(diff.stdout).toBe('+ new\n1 added, 0 removed, 0 changed\n');
    expect(rolledBack.stdout).toBe('restored 0 memories, erased 1\n');
    expect(JSON.parse(listed.stdout)).toMatchObject({ id: 'before', scope: { agent: 'ada' } });
  });

  it('policy › holds for recalls, and is listed', async () => {
    await run('store', 'the tea of eve', '--agent', 'eve', '--namespace', 'policies');
    const set = await run('agent', 'policy', '--agent', 'eve', '--private', '--namespace', 'policies');
    const recalled = await run('recall', 'tea', '--namespace', 'policies');
    const listed = await run('agent', 'policies', '--namespace', 'policies');

    expect([set.code, set.stdout, recalled.stdout]).toEqual([0, '*/*/eve/*  private\n', '']);
    expect(listed.stdout).toBe('*/*/eve/*  private\n');
  });
});
