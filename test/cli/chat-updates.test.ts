import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { connect, type Mneme } from '../../clients/typescript/src/index.ts';
import { collect } from '../client/support/collect.ts';
import { PATIENT_CLIENT } from '../support/patient.ts';
import { runMneme } from './support/run-mneme.ts';
import { type ServedMneme, serveMneme } from './support/serve-mneme.ts';

let server: ServedMneme;
const folder = mkdtempSync(join(tmpdir(), 'mneme-chat-updates-'));
beforeAll(async () => {
  server = await serveMneme();
});
afterAll(async () => {
  await server?.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function importOf(namespace: string, content: unknown, name = 'conversations.json', flags: string[] = []) {
  const path = join(folder, namespace, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  const args = ['chat', 'import', path, '--namespace', namespace, ...flags];
  const { code, stdout, stderr } = await runMneme(args, { env: { MNEME_SERVER: server.address } });
  return { code, lines: stdout.trim().split('\n'), stderr };
}

async function stored(namespace: string, conversation: string): Promise<string[]> {
  const mneme: Mneme = connect(server.address, { ...PATIENT_CLIENT, namespace });
  try {
    const messages = await collect(mneme.conversations.list(conversation));
    return messages.map(({ sequence, blocks: [block], eventTime }) => {
      return `${sequence} ${block && 'text' in block ? block.text : ''} ${eventTime.toISOString().slice(11, 19)}`;
    });
  } finally {
    await mneme.close();
  }
}

const NINE = Date.parse('2026-05-01T09:00:00Z') / 1000;

/** A conversation of ChatGPT with these texts, a minute apart; null is the time of a text that begins with a question mark. */
function gpt(id: string, ...texts: readonly string[]): object {
  const nodes = texts.map((text, at) => ({
    parent: at === 0 ? null : `n${at - 1}`,
    children: at + 1 < texts.length ? [`n${at + 1}`] : [],
    message: {
      author: { role: at % 2 === 0 ? 'user' : 'assistant' },
      content: { parts: [text] },
      create_time: text.startsWith('?') ? null : NINE + 60 * at,
    },
  }));
  const mapping = Object.fromEntries(nodes.map((node, at) => [`n${at}`, node]));
  return { id, current_node: `n${texts.length - 1}`, mapping };
}

function jsonLines(conversation: string | undefined, ...texts: readonly string[]): string {
  return texts.map((text) => JSON.stringify({ role: 'user', text, conversation })).join('\n');
}

describe('C4 the next export of the same chats', () => {
  it.each<[string, string[], string[], string]>([
    [
      'edited at its end',
      ['a', 'b', 'c', 'd'],
      ['a', 'b', 'C', 'D'],
      '2 messages of 2 conversations stored, 4 stored before, 2 replaced or removed',
    ],
    [
      'edited at its start',
      ['a', 'b'],
      ['A', 'B'],
      '2 messages of 2 conversations stored, 2 stored before, 2 replaced or removed',
    ],
    ['continued', ['a', 'b'], ['a', 'b', 'c'], '1 message of 2 conversations stored, 4 stored before'],
    [
      'shortened',
      ['a', 'b', 'c'],
      ['a'],
      '0 messages of 2 conversations stored, 3 stored before, 2 replaced or removed',
    ],
    ['the same', ['a', 'b'], ['a', 'b'], '0 messages of 2 conversations stored, 4 stored before'],
  ])(
    'a conversation that was %s › is updated, and the ones after it are imported',
    async (what, before, after, said) => {
      const namespace = `next-${what.replaceAll(' ', '-')}`;
      await importOf(namespace, [gpt('c-branch', ...before), gpt('c-later', 'x', 'y')]);
      const next = await importOf(namespace, [gpt('c-branch', ...after), gpt('c-later', 'x', 'y')]);

      expect(next).toEqual({ code: 0, lines: [said], stderr: '' });
      expect((await stored(namespace, 'c-branch')).map((line) => line.split(' ')[1])).toEqual(after);
      const again = await importOf(namespace, [gpt('c-branch', ...after), gpt('c-later', 'x', 'y')]);
      expect(again.lines).toEqual([`0 messages of 2 conversations stored, ${after.length + 2} stored before`]);
    },
  );

  it('JSON lines without times › a message that was removed in the middle goes, others keep their times', async () => {
    await importOf('middle', jsonLines(undefined, 'a', 'b', 'c', 'd'), 'talk.jsonl');
    const before = await stored('middle', 'talk');
    const next = await importOf('middle', jsonLines(undefined, 'a', 'b', 'd'), 'talk.jsonl');

    expect(next.lines).toEqual(['1 message of 1 conversation stored, 2 stored before, 2 replaced or removed']);
    const after = await stored('middle', 'talk');
    expect(after.map((line) => line.split(' ')[1])).toEqual(['a', 'b', 'd']);
    expect(after.slice(0, 2)).toEqual(before.slice(0, 2));
  });

  it('one conversation that fails › is named, the others are imported, and the exit code says so', async () => {
    const alone = await importOf('failing', jsonLines(undefined, 'a', 'b'), 'chat.jsonl');
    const lines = [jsonLines(undefined, 'x', 'y'), jsonLines('c-good', 'z')].join('\n');
    const next = await importOf('failing', lines, 'other/chat.jsonl');

    expect([alone.code, next.code, next.lines]).toEqual([0, 9, ['1 message of 1 conversation stored']]);
    expect(next.stderr).toMatch(/^mneme: chat: another conversation .*\nmneme: 1 conversation not imported\n$/);
    expect(await stored('failing', 'c-good')).toHaveLength(1);
  });

  it('more than a thousand messages after an edit › are replaced', async () => {
    const texts = Array.from({ length: 2300 }, (_, at) => `m${at}`);
    await importOf('long', [gpt('c', ...texts)]);
    const next = await importOf('long', [gpt('c', 'new', ...texts.slice(1, 1300))]);

    expect(next.lines).toEqual(['1300 messages of 1 conversation stored, 2300 replaced or removed']);
    expect(await stored('long', 'c')).toHaveLength(1300);
  });

  it('two files of one name › do not become one conversation, unless it is asked for', async () => {
    await importOf('names', jsonLines(undefined, 'a', 'b'), 'one/chat.jsonl');
    const other = await importOf('names', jsonLines(undefined, 'x', 'y'), 'two/chat.jsonl');

    expect([other.code, other.stderr]).toEqual([
      5,
      expect.stringContaining('another conversation is stored under this id'),
    ]);
    expect(await stored('names', 'chat')).toHaveLength(2);
    await importOf('names', jsonLines(undefined, 'x', 'y'), 'two/chat.jsonl', ['--replace']);
    expect((await stored('names', 'chat')).map((line) => line.split(' ')[1])).toEqual(['x', 'y']);
  });

  it('a later part of a messenger chat › is put after the earlier one', async () => {
    const line = (minute: number, text: string) => `13/5/2026, 09:0${minute} - Ada: ${text}`;
    await importOf('parts', [line(1, 'a'), line(2, 'b'), line(3, 'c')].join('\n'), 'chat.txt');
    const next = await importOf('parts', [line(2, 'b'), line(3, 'C'), line(4, 'd')].join('\n'), 'chat.txt');

    expect(next.code).toBe(0);
    expect(await stored('parts', 'chat')).toEqual(['0 a 09:01:00', '1 b 09:02:00', '2 C 09:03:00', '3 d 09:04:00']);
  });
});

describe('C3 messages without a time', () => {
  it.each<[string, string[], string[]]>([
    ['in the middle', ['a', '?', 'c'], ['0 a 09:00:00', '1 ? 09:01:00', '2 c 09:02:00']],
    [
      'several',
      ['a', '?', '??', '???', 'e'],
      ['0 a 09:00:00', '1 ? 09:01:00', '2 ?? 09:02:00', '3 ??? 09:03:00', '4 e 09:04:00'],
    ],
    ['at the start', ['?', 'b'], ['0 ? 09:00:59', '1 b 09:01:00']],
    ['at the end', ['a', '?'], ['0 a 09:00:00', '1 ? 09:00:00']],
  ])('%s › have one between their neighbours, and change nothing later', async (where, texts, lines) => {
    const namespace = `times-${where.replaceAll(' ', '-')}`;
    await importOf(namespace, [gpt('c', ...texts)]);

    expect(await stored(namespace, 'c')).toEqual(lines);
    expect((await importOf(namespace, [gpt('c', ...texts)])).lines).toEqual([
      `0 messages of 1 conversation stored, ${texts.length} stored before`,
    ]);
  });

  it('a time that cannot be read beside others › is counted, the message is between its neighbours', async () => {
    const line = (text: string, time: string) => JSON.stringify({ role: 'user', text, time });
    const text = [line('a', '2026-05-01T09:00:00Z'), line('b', 'soon'), line('c', '2026-05-01T09:02:00Z')].join('\n');
    const { lines } = await importOf('unreadable', text, 'talk.jsonl');

    expect(lines).toEqual(['3 messages of 1 conversation stored', 'not read: 1 unreadable time']);
    expect((await stored('unreadable', 'talk'))[1]).toBe('1 b 09:01:00');
  });

  it('no times at all › the order stays', async () => {
    const mneme = connect(server.address, { ...PATIENT_CLIENT, namespace: 'untimed' });
    await importOf('untimed', jsonLines(undefined, 'a', 'b', 'c'), 'talk.jsonl');
    const times = (await collect(mneme.conversations.list('talk'))).map(({ eventTime }) => eventTime.getTime());
    await mneme.close();

    expect(new Set(times).size).toBe(3);
    expect(times).toEqual([...times].sort((a, b) => a - b));
  });
});

describe('C6 what an import would do', () => {
  it('--dry-run › shows conversations, messages, times and what is left out, without a server', async () => {
    const path = join(folder, 'dry.json');
    writeFileSync(path, JSON.stringify([gpt('g1', 'a', 'b'), gpt('g2', 'c')]));
    const run = await runMneme(['chat', 'import', path, '--dry-run'], { env: { MNEME_SERVER: '127.0.0.1:1' } });

    expect([run.code, run.stdout.trim().split('\n')]).toEqual([
      0,
      [
        'export of ChatGPT: 2 conversations with 3 messages; nothing is stored',
        'g1  2 messages, 2026-05-01 09:00 to 2026-05-01 09:01',
        'g2  1 message, 2026-05-01 09:00 to 2026-05-01 09:00',
      ],
    ]);
  });

  it('5,000 wrong lines › name the first three and a number', async () => {
    const { code, stderr } = await importOf(
      'wrong',
      Array(5000).fill('{"role":"robot","text":"x"}').join('\n'),
      'a.jsonl',
    );

    expect(code).toBe(5);
    expect(stderr.trim().split('\n')).toHaveLength(5);
    expect(stderr).toMatch(/and 4997 more/);
  });
});
