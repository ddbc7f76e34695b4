import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { connect } from '../../clients/typescript/src/index.ts';
import { PATIENT_CLIENT } from '../support/patient.ts';
import { PROGRAM, runMneme } from './support/run-mneme.ts';
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

/** Answers the question of a command on a terminal. */
const ON_TERMINAL = `
import os, pty, sys
shown = b''
def read(terminal):
    global shown
    data = os.read(terminal, 4096)
    if b'[y/N]' not in shown and b'[y/N]' in shown + data:
        os.write(terminal, sys.argv[1].encode() + b'\\n')
    shown += data
    return data
sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[2:], read)))`;

function onTerminal(answer: string, ...args: readonly string[]) {
  const env = { MNEME_SERVER: server.address };
  return runMneme(['-c', ON_TERMINAL, answer, PROGRAM, ...args], { program: 'python3', env });
}

describe('A1 what a person erases on a terminal', () => {
  it.each([
    ['memories', ['forget', '--all'], 'Erase 2 memories with their history?', 'forgot 2 memories'],
    ['facts', ['facts', 'forget', '--subject', 'user'], 'Erase 1 fact with their history?', 'forgot 1 fact'],
  ])('%s › are counted, and erased after a yes only', async (name, args, question, done) => {
    const client = connect(server.address, { ...PATIENT_CLIENT, namespace: `asked-${name}` });
    if (name === 'memories') await client.storeMany(['one', 'two']);
    else await client.facts.assertFact({ subject: 'user', attribute: 'employer', value: 'Initech' });
    const left = async () => (await client.count()).count;
    const before = await left();

    const refused = await onTerminal('n', ...args, '--namespace', `asked-${name}`);
    expect(refused.stdout).toContain(question);
    expect(refused.stdout).toContain('nothing was erased');
    expect(await left()).toBe(before);

    const confirmed = await onTerminal('y', ...args, '--namespace', `asked-${name}`);
    expect([confirmed.code, confirmed.stdout]).toEqual([0, expect.stringContaining(done)]);
    expect(await left()).toBeLessThan(before);
    await client.close();
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
