import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Command } from 'commander';
import { CONNECTION_GROUP, HELP_COLUMNS } from '../../src/cli/help.ts';
import { TOPICS } from '../../src/cli/help-request.ts';
import { COMMANDS, programWith } from '../../src/cli/program.ts';
import { runMneme } from './support/run-mneme.ts';

let program: Command;
beforeAll(async () => {
  program = await programWith(COMMANDS);
});

/** Output of `--help` of each command and subcommand, by its full name. */
function helps(): Map<string, { command: Command; text: string }> {
  const found = new Map<string, { command: Command; text: string }>();
  const walk = (command: Command, name: string) => {
    let text = '';
    const write = (part: string) => {
      text += part;
    };
    command.configureOutput({ writeOut: write, writeErr: write }).outputHelp();
    found.set(name, { command, text });
    for (const sub of command.commands) walk(sub, `${name} ${sub.name()}`);
  };
  walk(program, 'mneme');
  return found;
}

/** Names of the commands whose help breaks a rule. */
function breaking(rule: (text: string, name: string, command: Command) => boolean): string[] {
  return [...helps()].filter(([name, { text, command }]) => !rule(text, name, command)).map(([name]) => name);
}

describe('mneme › help of every command', () => {
  it('all are there › with their subcommands', () => {
    expect([...helps().keys()]).toEqual(
      expect.arrayContaining(['mneme', 'mneme recall', 'mneme session set', 'mneme session spawn']),
    );
  });

  it('each › is in the table of docs/cli.md', async () => {
    const page = await readFile(new URL('../../docs/cli.md', import.meta.url), 'utf8');
    const [, table = ''] = /\n\| Command \| Does \|\n(.*?)\n\n/s.exec(page) ?? [];
    const listed = table.split('\n').flatMap((row) => row.split(' | ')[0]?.match(/(?<=`)[a-z-]+/g) ?? []);

    expect(program.commands.map((command) => command.name()).filter((name) => !listed.includes(name))).toEqual([]);
  });

  it('no line › is wider than 80 columns', () => {
    expect(breaking((text) => text.split('\n').every((line) => line.length <= HELP_COLUMNS))).toEqual([]);
    for (const text of Object.values(TOPICS)) {
      expect(text.split('\n').filter((line) => line.length > HELP_COLUMNS)).toEqual([]);
    }
  });

  it('each › shows an example of itself', () => {
    expect(breaking((text, name) => new RegExp(`^  \\$ .*\\b${name}\\b`, 'm').test(text))).toEqual([]);
  });

  it('each › begins with an imperative sentence: a capital, a verb without -s, a full stop', () => {
    const isImperative = (_: string, name: string, command: Command) =>
      name === 'mneme' || /^[A-Z][a-z]*[a-rt-z],? .*\.$/s.test(command.description());
    expect(breaking(isImperative)).toEqual([]);
  });

  it('each flag and argument › is described in a phrase', () => {
    expect(
      breaking((_, __, command) =>
        [...command.options, ...command.registeredArguments].every(({ description }) => description !== ''),
      ).filter((name) => !/^mneme (session|agent|namespaces|subscriptions) /.test(name)),
    ).toEqual([]);
    expect(
      breaking((_, __, command) =>
        command.options.every(({ description }) => /^[^.].*[^.]$/.test(description) || description.endsWith('...')),
      ),
    ).toEqual([]);
  });

  it('connection flags › are left to "mneme help server", which explains each', () => {
    const connection = new Set<string>();
    for (const { command, text } of helps().values()) {
      for (const option of command.options.filter(({ helpGroupHeading }) => helpGroupHeading === CONNECTION_GROUP)) {
        connection.add(option.long ?? '');
        expect(text).not.toContain(`  ${option.flags}`);
        expect(text).toContain('see "mneme help server"');
      }
    }
    expect(connection).toContain('--tls-ca');
    for (const flag of connection) expect(TOPICS['server']).toContain(`  ${flag}`);
  });
});

describe('mneme help', () => {
  it('without a name › groups the commands by task', async () => {
    const { code, stdout } = await runMneme(['help']);

    expect(code).toBe(0);
    const groups = stdout.split('\n').filter((line) => /^[A-Z].*:$/.test(line));
    expect(groups.slice(0, 5)).toEqual(['Options:', 'Start:', 'Store and read memories:', 'Recall:', 'Streams:']);
    for (const command of COMMANDS) expect(stdout).toMatch(new RegExp(`^  ${command} `, 'm'));
  });

  it('of a command, a subcommand and a topic › prints each', async () => {
    expect((await runMneme(['help', 'recall'])).stdout).toMatch(/^Usage: mneme recall \[options\]/);
    expect((await runMneme(['help', 'session', 'set'])).stdout).toMatch(/^Usage: mneme session set /);
    expect((await runMneme(['help', 'times'])).stdout).toBe(TOPICS['times']);
  });

  it('of an unknown command › names the nearest', async () => {
    const { code, stderr } = await runMneme(['help', 'recal']);

    expect(code).toBe(2);
    expect(stderr).toBe(
      'mneme: there is no command or help topic "recal". Did you mean recall? "mneme help" lists them.\n',
    );
  });
});
