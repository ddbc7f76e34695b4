import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { runMneme } from './support/run-mneme.ts';
import { type ServedMneme, serveMneme } from './support/serve-mneme.ts';

let server: ServedMneme;
beforeAll(async () => {
  server = await serveMneme({});
});
afterAll(() => server.stop());

describe('mneme, where there is nothing to list', () => {
  it('a server without namespaces › says so on stderr', async () => {
    const listed = await runMneme(['namespaces', 'list', '--server', server.address]);
    expect(listed).toEqual({ code: 0, stdout: '', stderr: 'no namespaces\n' });
    expect(await runMneme(['namespaces', 'create', 'default', '--server', server.address])).toMatchObject({ code: 0 });
  });

  it.each([
    ['session keys run-1', 'no keys'],
    ['session keys run-1 --values', 'no keys'],
    ['session notes run-1', 'no notes'],
    ['session checkpoints run-1', 'no checkpoints'],
    ['subscriptions list', 'no subscriptions'],
    ['session list', 'no sessions'],
    ['agent snapshots', 'no snapshots'],
    ['agent policies', 'no policies'],
  ])('%s › says so on stderr', async (line, said) => {
    const [command = '', subcommand = '', ...args] = line.split(' ');
    const { code, stdout, stderr } = await runMneme([command, subcommand, ...args, '--server', server.address]);

    expect([code, stdout, stderr]).toEqual([0, '', `${said}\n`]);
  });
});
