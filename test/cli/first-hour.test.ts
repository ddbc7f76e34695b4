import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { connect } from '../../clients/typescript/src/index.ts';
import { PATIENT_CLIENT } from '../support/patient.ts';
import { runMneme } from './support/run-mneme.ts';
import { type RunningMneme, startMneme } from './support/start-mneme.ts';

let server: RunningMneme;
beforeAll(async () => {
  server = await startMneme();
});
afterAll(() => server?.stop());

function mneme(...args: readonly string[]) {
  return runMneme(args, { env: { MNEME_SERVER: server.address } });
}

describe('A8 the first command of a new user', () => {
  it.each([
    [['recall', 'hi'], '', 'nothing found\n'],
    [['list'], '', 'no memories\n'],
    [['count'], '0\n', ''],
    [['forget', '--all'], 'forgot 0 memories\n', ''],
    [['forget', '--session', 's', '--dry-run'], 'would forget 0 memories\n', ''],
    [['clear-tier', 'long_term', '--all'], 'erased 0 memories of long_term\n', ''],
    [['facts', 'forget', '--subject', 'user'], 'forgot 0 facts\n', ''],
    [['chat', 'list'], '', 'no conversations\n'],
    [['chat', 'show', 'c'], '', 'no messages\n'],
  ])('%j of a namespace that does not exist yet › answers', async (args, stdout, stderr) => {
    expect(await mneme(...args, '--namespace', 'absent')).toEqual({ code: 0, stdout, stderr });
  });
});

describe('A1 what a script erases', () => {
  it('above 100 memories › nothing without --yes', async () => {
    const client = connect(server.address, { ...PATIENT_CLIENT, namespace: 'many' });
    await client.batchStore(Array.from({ length: 101 }, (_, at) => ({ text: `memory ${at}` })));
    const unasked = await mneme('forget', '--all', '--namespace', 'many');
    expect([unasked.code, unasked.stderr]).toEqual([
      2,
      'mneme: nothing was erased: 101 memories match, and above 100 a script confirms with --yes\n',
    ]);
    expect((await client.count()).count).toBe(101);

    expect(await mneme('forget', '--all', '--namespace', 'many', '--yes')).toMatchObject({
      stdout: 'forgot 101 memories\n',
    });
    expect((await client.count()).count).toBe(0);
    await client.close();
  });

  it('a field that a filter does not have › is refused by the name of the flag, and nothing is erased', async () => {
    const { code, stderr } = await mneme('forget', '--filter', 'tpye = "fact"');

    expect([code, stderr]).toEqual([
      5,
      expect.stringMatching(/^mneme: --filter: column 1: there is no field tpye; did you mean type\?/),
    ]);
  });
});

describe('A11 names of namespaces', () => {
  it.each([
    ['My Project', 'my-project'],
    ['ada@example.org', 'ada-example.org'],
    ['Ångström', 'angstrom'],
    ['_x', 'x'],
  ])('%s › is refused by the name of the flag, with a name that works', async (name, proposal) => {
    const { code, stderr } = await mneme('count', '--namespace', name);

    expect([code, stderr]).toEqual([5, expect.stringContaining(`: for example --namespace ${proposal}\n`)]);
    expect(stderr).not.toContain('parent');
    expect((await mneme('count', '--namespace', proposal)).code).toBe(0);
  });
});

describe('the first server', () => {
  it('serve --port and --host › are the address to listen on; beside --listen they are refused', async () => {
    const free = await startMneme({ flags: ['--port', '0'] });
    expect((await runMneme(['count', '--server', free.address])).code).toBe(0);
    await free.stop();
    const { code, stderr } = await runMneme(['serve', '--port', '6000', '--listen', '127.0.0.1:6000']);
    expect([code, stderr]).toEqual([2, expect.stringContaining('--listen has host and port')]);
  });
});
