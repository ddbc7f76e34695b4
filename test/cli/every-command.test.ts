import { describe, expect, it } from '@jest/globals';
import { sized } from '../support/all-tests.ts';
import { runMneme } from './support/run-mneme.ts';

/** Of commands that are tried: they share the code that this is about. */
const STRIDE = sized({ sample: 4, nightly: 1 });
/** Commands of a client, with their required arguments. */
const COMMANDS = [
  ...[
    'store x',
    'recall x',
    'context x',
    'get m1',
    'list',
    'update m1 x',
    'supersede m1 x',
    'count',
    'forget m1',
    'watch',
  ],
  ...['subscribe x', 'subscriptions list', 'presets', 'history p', 'states 1', 'sequence m1', 'session list'],
  ...['session show s', 'session get s k', 'session stats s', 'stats', 'namespaces list', 'ingest', 'maintain'],
  ...['facts list', 'facts history user likes', 'facts assert user likes tea', 'facts undo m1', 'facts forget m1'],
  ...['chat list', 'chat show c', 'chat status', 'chat flush', 'chat retry'],
  ...[
    'demote m1',
    'promote m1',
    'clear-tier short_term --all',
    'config show',
    'cache show',
    'reembed',
    'consolidate',
    'reflect',
    'health',
  ],
];

describe('every command', () => {
  it.each(COMMANDS.filter((_, at) => at % STRIDE === 0))(
    '%s › an unknown flag, and an unreachable server, are reported alike and by the exit code',
    async (line) => {
      const command = line.split(' ');
      const unknown = await runMneme([...command, '--nonsense']);
      expect([unknown.code, unknown.stdout]).toEqual([2, '']);
      expect(unknown.stderr).toMatch(/^mneme: unknown option '--nonsense'[^\n]*\n$/);
      const alone = await runMneme([...command, '--server', '127.0.0.1:1', '--json'], { stdin: '{"text":"a"}\n' });
      expect([alone.code, alone.stdout]).toEqual([4, '']);
      expect(JSON.parse(alone.stderr)).toMatchObject({
        error: { code: 'UNAVAILABLE', message: expect.stringMatching(/^no server answers at 127\.0\.0\.1:1: /) },
      });
    },
  );
});
