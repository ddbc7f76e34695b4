import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { runMneme } from './support/run-mneme.ts';
import { type ServedMneme, serveMneme } from './support/serve-mneme.ts';

const DIGITS = '{"user_id":1145678901234567890,"list":[-9007199254740993,1.50,1e20],"text":"1145678901234567891"}';

let server: ServedMneme;
beforeAll(async () => {
  server = await serveMneme();
});
afterAll(() => server.stop());

async function mneme(args: readonly string[], stdin = ''): Promise<string> {
  const { code, stdout, stderr } = await runMneme([...args, '--server', server.address], { stdin });
  expect([args, code, stderr]).toEqual([args, 0, expect.any(String)]);
  return stdout;
}

describe('A2 integers that a double cannot hold, on the command line', () => {
  it('a memory › keeps its digits through import, get, list, recall, export and import again', async () => {
    const line = `{"id":"ann","type":"fact","text":"Ann","content":{"json":${DIGITS}}}\n`;
    await mneme(['import', '--namespace', 'one'], line);
    for (const command of [['get', 'ann'], ['list'], ['recall', 'Ann', '--full']]) {
      expect(await mneme([...command, '--namespace', 'one', '--json'])).toContain('1145678901234567890');
    }
    const shown = await mneme(['get', 'ann', '--namespace', 'one']);
    expect(shown).toContain('1145678901234567890');
    expect(shown).toContain('-9007199254740993');
    const exported = await mneme(['export', '--namespace', 'one']);
    await mneme(['import', '--namespace', 'two'], exported);
    const again = await mneme(['export', '--namespace', 'two']);
    expect(again).toContain('1145678901234567890');
    expect(again).toContain('-9007199254740993');
    const contentOf = (text: string) => /"content":.*?\}\}?,"/.exec(text)?.[0];
    expect(contentOf(again)).toBe(contentOf(exported));
  });

  it('forget with a filter › erases the one id alone', async () => {
    const lines = ['1145678901234567890', '1145678901234567891'].map(
      (id, at) => `{"id":"m${at}","content":{"json":{"user_id":${id}}}}\n`,
    );
    await mneme(['import', '--namespace', 'three'], lines.join(''));
    const filter = ['--filter', 'content.user_id = 1145678901234567890'];
    await mneme(['forget', '--namespace', 'three', ...filter, '--yes']);
    expect(await mneme(['list', '--namespace', 'three', '--json'])).toContain('"id":"m1"');
    expect(await mneme(['list', '--namespace', 'three', ...filter, '--json'])).toBe('');
  });

  it('a value of a session › is set and shown as it is written', async () => {
    await mneme(['session', 'set', 's', 'k', DIGITS]);
    expect(await mneme(['session', 'get', 's', 'k'])).toBe(`k  ${DIGITS}\n`);
    expect(await mneme(['session', 'get', 's', 'k', '--json'])).toContain(`"value":${DIGITS}`);
  });
});
