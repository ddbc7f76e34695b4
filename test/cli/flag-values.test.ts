import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { cleanUp, onCleanUp } from '../client/support/clean-up.ts';
import { runMneme } from './support/run-mneme.ts';

afterEach(cleanUp);

describe('mneme › flags that do not go together, or values out of range', () => {
  it.each([
    [['recall', 'x', '--parameters', '{"hours": 2}'], '--parameters applies only to --preset'],
    [['recall', 'x', '--scale', '3'], '--scale applies only to --near-time, --near-step, --near-point and --near-geo'],
    [['context', 'x', '--share', '0.5'], '--share applies only to --window'],
    [
      ['recall', '--near-time', 'yesterday', '--scale', '5'],
      "option '--scale <n>' argument '5' is invalid. Expected a span of time, such as 90s, 15m, 2h or 7d.",
    ],
    [
      ['recall', '--near-step', '3', '--scale', '1d'],
      "option '--scale <n>' argument '1d' is invalid. Expected a number.",
    ],
    [
      ['store', 'x', '--ttl', '0s'],
      "option '--ttl <span>' argument '0s' is invalid. Expected a span of time above zero, such as 90s, 15m, 2h or 7d.",
    ],
    [
      ['recall', 'x', '--last', '99999999999999w'],
      "option '--last <span>' argument '99999999999999w' is invalid. Expected a span of time of at most 36500d.",
    ],
    [
      ['count', '--server', '127.0.0.1:99999'],
      '--server: expected a port from 1 to 65535, got 99999 in "127.0.0.1:99999"',
    ],
    [['agent', 'policy', '--private'], 'which scope: use --project, --agent-type or --agent'],
    [['session', 'note', 's', 'one', ' '], 'nothing to note: a note must have a text'],
    [['audit'], '--folder: name the folder of the audit log, or set MNEME_AUDIT_FOLDER'],
  ])('%j › is refused before anything is sent', async (args, message) => {
    expect(await runMneme(args)).toEqual({ code: 2, stdout: '', stderr: `mneme: ${message}\n` });
  });

  it.each([
    [['store', 'x'], '--id <id>'],
    [['store', 'x'], '--type <word>'],
    [['store', 'x'], '--session <name>'],
    [['update', 'm1'], '--type <word>'],
    [['list'], '--session <name>'],
    [['list'], '--filter <text>'],
    [['count'], '--as <scope>'],
    [['count'], '--namespace <name>'],
    [['recall', 'x'], '--preset <name>'],
    [['clear-tier', 'short_term', '--session', 's'], '--agent <name>'],
    [['session', 'task', 's'], '--id <id>'],
    [['serve'], '--auth-tokens-file <path>'],
  ])('%j › an empty %s is refused', async (args, flags) => {
    expect(await runMneme([...args, flags.slice(0, flags.indexOf(' ')), ''])).toEqual({
      code: 2,
      stdout: '',
      stderr: `mneme: option '${flags}' argument '' is invalid. Expected a value that is not empty.\n`,
    });
  });

  it.each(['a..b', '.a', 'a.', '', 'a\\b'])('history %j › names the form of a path', async (path) => {
    expect(await runMneme(['history', path])).toEqual({
      code: 2,
      stdout: '',
      stderr: `mneme: <path>: '${path}' is invalid. Expected keys joined by dots, such as position.room; \\. is a dot inside a key.\n`,
    });
  });

  it('a folder in place of a file › is named', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'mneme-'));
    onCleanUp(() => rmSync(folder, { recursive: true }));

    for (const args of [
      ['import', folder],
      ['ingest', folder],
    ]) {
      expect(await runMneme(args)).toEqual({
        code: 1,
        stdout: '',
        stderr: `mneme: ${folder} is a folder: name a file\n`,
      });
    }
    const { stderr } = await runMneme(['store', '--content', `@${folder}`]);
    expect(stderr).toBe('mneme: a folder is named where a file is expected\n');
  });
});
