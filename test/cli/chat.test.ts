import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { runMneme } from './support/run-mneme.ts';
import { type ServedMneme, serveMneme } from './support/serve-mneme.ts';

let server: ServedMneme;
const folder = mkdtempSync(join(tmpdir(), 'mneme-chat-'));
beforeAll(async () => {
  server = await serveMneme();
});
afterAll(async () => {
  await server?.stop();
  rmSync(folder, { recursive: true, force: true });
});

function file(name: string, content: unknown): string {
  const path = join(folder, name);
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

async function chat(namespace: string, ...args: readonly string[]): Promise<string[]> {
  const run = await runMneme(['chat', ...args, '--namespace', namespace], { env: { MNEME_SERVER: server.address } });
  if (run.code !== 0) throw new Error(`chat ${args.join(' ')}: ${run.code}: ${run.stderr}`);
  return run.stdout.trim().split('\n');
}

it('JSON lines › are imported once, shown, and extracted', async () => {
  const path = file(
    'support-42.jsonl',
    '{"role":"user","text":"My name is Ada and I live in Bern.","name":"Ada","time":"2026-05-01T09:00:00Z"}\n' +
      '\n{"role":"assistant","content":"Noted."}\n',
  );

  expect(await chat('lines', 'import', path, '--flush')).toEqual([
    '2 messages of 1 conversation stored',
    'everything is extracted',
  ]);
  expect(await chat('lines', 'import', path)).toEqual(['0 messages of 1 conversation stored, 2 stored before']);
  const [first, second] = await chat('lines', 'show', 'support-42');
  expect(first).toBe('0  2026-05-01 09:00  Ada: My name is Ada and I live in Bern.');
  expect(second).toMatch(/^1 {2}.* {2}assistant: Noted\.$/);
  expect(await chat('lines', 'list')).toEqual(['support-42  2 memories']);
  expect(await chat('lines', 'status')).toEqual(['extractor rules, 0 pending, 0 failed']);
  expect(await chat('lines', 'status', 'support-42')).toContain('support-42  idle, extracted up to 1');
  expect(await chat('lines', 'flush')).toEqual(['everything is extracted']);
  expect(await chat('lines', 'retry')).toEqual(['0 messages tried again']);
});

it('an export of ChatGPT › gives the branch that was shown last', async () => {
  const node = (id: string, parent: string, children: string[], role: string, text: string, time = 1_700_000_000) => ({
    [id]: { id, parent, children, message: { author: { role }, content: { parts: [text] }, create_time: time } },
  });
  const mapping = {
    ...node('root', '', ['a'], 'system', ''),
    ...node('a', 'root', ['b', 'c'], 'user', 'What is a tensor?'),
    ...node('b', 'a', [], 'assistant', 'An answer that was dropped.'),
    ...node('c', 'a', ['d'], 'assistant', 'A multilinear map.'),
    ...node('d', 'c', [], 'tool', 'left out'),
  };
  const path = file('conversations.json', [{ conversation_id: 'g1', title: 'Tensors', mapping, current_node: 'd' }]);

  await chat('gpt', 'import', path);
  expect((await chat('gpt', 'show', 'g1')).map((line) => line.replace(/^(\d+) .*? {2}(?=\w+:)/, '$1 '))).toEqual([
    '0 user: What is a tensor?',
    '1 assistant: A multilinear map.',
    '2 tool: [result left out]',
  ]);
});

it('an export of Claude › gives every conversation', async () => {
  const one = (uuid: string, text: string) => ({
    uuid,
    name: 'Talk',
    chat_messages: [
      { sender: 'human', text, created_at: '2026-01-02T03:04:05.678901Z' },
      {
        sender: 'assistant',
        text: '',
        content: [
          { type: 'text', text: 'Yes.' },
          { type: 'tool_use', name: 'x' },
        ],
      },
    ],
  });
  const path = file('claude.json', [one('u1', 'Is it cold?'), one('u2', 'Is it late?')]);

  const [imported = ''] = await chat('claude', 'import', path, '--json');
  expect(JSON.parse(imported)).toEqual({
    conversations: [
      { id: 'u1', title: 'Talk', messageCount: 2 },
      { id: 'u2', title: 'Talk', messageCount: 2 },
    ],
    storedCount: 4,
    knownCount: 0,
  });
  expect(await chat('claude', 'show', 'u2')).toEqual([
    '0  2026-01-02 03:04  user: Is it late?',
    expect.stringMatching(/assistant: Yes\. \[call of x\]$/),
  ]);
});

it.each<[string, unknown, string]>([
  ['a role that is not known', '{"role":"robot","text":"x"}', 'role: expected one of'],
  ['a line without a text', '{"role":"user"}', 'text: expected a text'],
  ['a line that is no JSON', '{"role":', 'not JSON'],
  ['a time that is none', '{"role":"user","text":"x","time":"soon"}', 'time: expected ISO 8601'],
  ['JSON of another form', [{ a: 1 }], 'JSON lines of role and text are read, and exports of ChatGPT, Claude, Slack'],
])('%s › is refused with its line, and nothing is stored', async (_, content, message) => {
  const path = file('wrong.jsonl', content);
  const env = { MNEME_SERVER: server.address };
  const run = await runMneme(['chat', 'import', path, '--namespace', 'wrong'], { env });

  expect([run.code, run.stderr]).toEqual([5, expect.stringContaining(message)]);
});
