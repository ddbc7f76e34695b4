import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { runMneme } from './support/run-mneme.ts';
import { type ServedMneme, serveMneme } from './support/serve-mneme.ts';

let server: ServedMneme;
let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mneme-import-'));
  server = await serveMneme();
});
afterAll(async () => {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
});

let namespaces = 0;
const newNamespace = () => `n${++namespaces}`;
const mneme = (args: readonly string[], stdin: string | Buffer = '') =>
  runMneme(args, { stdin, env: { MNEME_SERVER: server.address } });
const lines = (...memories: object[]) => memories.map((memory) => `${JSON.stringify(memory)}\n`).join('');

async function listed(namespace: string): Promise<{ id: string; text: string }[]> {
  const { stdout } = await mneme(['list', '--namespace', namespace, '--json', '--limit', '1000']);
  return stdout
    .trim()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as { id: string; text: string });
}

const CHAT = lines(
  { text: 'ok', source: { speaker: 'Ann' } },
  { text: 'The train leaves at nine.' },
  { text: 'ok', source: { speaker: 'Ann' } },
  { text: 'ok', source: { speaker: 'Ben' } },
);

describe('mneme import of a file without ids', () => {
  it('a second time › changes nothing, and equal lines keep their number', async () => {
    const namespace = newNamespace();
    const first = await mneme(['import', '--namespace', namespace], CHAT);
    const second = await mneme(['import', '--namespace', namespace], CHAT);
    const replaced = await mneme(['import', '--namespace', namespace, '--conflict', 'replace'], CHAT);
    expect([first.code, first.stdout]).toEqual([0, 'created 4, unchanged 0, skipped 0\n']);
    expect([second.code, second.stdout]).toEqual([0, 'created 0, unchanged 4, skipped 0\n']);
    expect([replaced.code, replaced.stdout]).toEqual([0, 'created 0, unchanged 4, skipped 0\n']);
    expect(await listed(namespace)).toHaveLength(4);
  });

  it('with lines before and keys in another order › stores only new ones', async () => {
    const namespace = newNamespace();
    await mneme(['import', '--namespace', namespace], CHAT);
    const more = `${lines({ text: 'Good morning.' })}\n${lines({ source: { speaker: 'Ann' }, text: 'ok' })}${CHAT}`;
    const { stdout } = await mneme(['import', '--namespace', namespace, '--json'], more);
    expect(JSON.parse(stdout)).toMatchObject({
      createdCount: 2,
      unchangedCount: 4,
      duplicateCount: 0,
      skippedCount: 0,
    });
  });

  it('in another namespace › has other ids', async () => {
    const [one, other] = [newNamespace(), newNamespace()];
    for (const namespace of [one, other]) await mneme(['import', '--namespace', namespace], CHAT);
    const ids = async (namespace: string) => (await listed(namespace)).map(({ id }) => id);
    const others = new Set(await ids(other));
    expect((await ids(one)).filter((id) => others.has(id))).toEqual([]);
  });

  it('with --dedupe › stores a repeated statement of one speaker once', async () => {
    const namespace = newNamespace();
    const first = await mneme(['import', '--dedupe', '--namespace', namespace], CHAT);
    const second = await mneme(['import', '--dedupe', '--namespace', namespace], CHAT);
    expect(first.stdout).toBe('created 3, unchanged 0, duplicates 1, skipped 0\n');
    expect(second.stdout).toBe('created 0, unchanged 3, duplicates 1, skipped 0\n');
  });

  it('with --dedupe, a statement that exists under another id › is skipped', async () => {
    const namespace = newNamespace();
    const room = { json: { room: 'hall' } };
    const said = lines(
      { id: 'a', text: 'The train leaves at nine.', scope: { session: 's' } },
      { id: 'b', content: room },
    );
    await mneme(['import', '--namespace', namespace], said);
    const other = lines(
      { text: 'The train leaves at nine.', scope: { session: 's' } },
      { content: room },
      { text: 'The train leaves at nine.' },
      { id: 'v', embedding: { model: 'm', values: [1, 0] } },
      { id: 'w', embedding: { model: 'm', values: [0, 1] } },
    );
    const { stdout } = await mneme(['import', '--dedupe', '--namespace', namespace], said + other);
    expect(stdout).toBe('created 3, unchanged 2, duplicates 2, skipped 0\n');
  });
});

const TOO_LONG = { text: 'x'.repeat(1_048_577) };
const BAD: readonly [string, string, RegExp][] = [
  ['no JSON', '{"text":"a" "id":"b"}', /^mneme: stdin:2:13: not JSON: unexpected "/],
  ['cut off', '{"text":"a"', /^mneme: stdin:2:12: not JSON: JSON ends too early/],
  [
    'a key of another style',
    '{"text":"a","event_time":"2026-01-01"}',
    /^mneme: stdin:2:13: event_time is not a key of a memory; did you mean eventTime\?/,
  ],
  ['a bad time', '{"text":"a","eventTime":"soon"}', /^mneme: stdin:2:13: eventTime: expected an ISO 8601 time/],
  [
    'a long text',
    JSON.stringify(TOO_LONG),
    /^mneme: stdin:2:2: text: must be at most 1048576 bytes of UTF-8, got 1048577/,
  ],
  ['an array', '[{"text":"a"}]', /^mneme: stdin:2:1: expected one JSON object a line, got an array/],
  [
    'what only the server refuses',
    '{"text":"a","tags":[""]}',
    /^mneme: stdin:2: tags\[0\]: must be 1 to 128 bytes, got an empty text/,
  ],
  ['nothing to store', '{}', /^mneme: stdin:2: must have a text, a content or an embedding/],
];

describe('mneme import of a file with a bad line', () => {
  it.each(BAD)('%s › reports it, stores the others, and sets the exit code', async (_, bad, message) => {
    const namespace = newNamespace();
    const file = `${lines({ text: 'before' })}${bad}\n${lines({ text: 'after' })}`;
    const { code, stdout, stderr } = await mneme(['import', '--namespace', namespace], file);
    expect([code, stdout]).toEqual([9, 'created 2, unchanged 0, skipped 1\n']);
    expect(stderr).toMatch(message);
    expect(stderr.trim().split('\n').at(-1)).toBe('mneme: 1 line was not stored');
    expect((await listed(namespace)).map(({ text }) => text).sort()).toEqual(['after', 'before']);
  });

  it('bytes that are not UTF-8, and a line without an end › are reported', async () => {
    const namespace = newNamespace();
    const file = Buffer.concat([
      Buffer.from(lines({ text: 'before' })),
      Buffer.from('{"text":"Zoë"}\n', 'latin1'),
      Buffer.alloc(17 * 1024 * 1024, 'x'),
      Buffer.from(`\n${lines({ text: 'after' })}`),
    ]);
    const { code, stdout, stderr } = await mneme(['import', '--namespace', namespace], file);
    expect([code, stdout]).toEqual([9, 'created 2, unchanged 0, skipped 2\n']);
    expect(stderr).toContain('stdin:2: not UTF-8');
    expect(stderr).toContain('stdin:3: must be at most 16777216 bytes, got 17825792');
  });

  it('many that the server refuses among many › stores all others', async () => {
    const namespace = newNamespace();
    const memories = Array.from({ length: 600 }, (_, at) => (at % 5 === 0 ? { text: '' } : { text: `memory ${at}` }));
    const { code, stdout, stderr } = await mneme(['import', '--namespace', namespace], lines(...memories));
    expect([code, stdout]).toEqual([9, 'created 480, unchanged 0, skipped 120\n']);
    expect(stderr).toMatch(/stdin:11: must have a text.*\nmneme: and 117 more lines like these\n/);
  });

  it('a file that is one array › is reported once', async () => {
    const { code, stdout, stderr } = await mneme(['import'], '[\n  {"text":"a"},\n  {"text":"b"}\n]\n');
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^mneme: stdin:1:1: expected one JSON object a line, got an array: .*\n$/);
  });

  it('only invalid lines › is not a partial success', async () => {
    const { code, stdout } = await mneme(['import', '--namespace', newNamespace()], 'a\nb\n');
    expect([code, stdout]).toEqual([5, 'created 0, unchanged 0, skipped 2\n']);
  });

  it('with --strict › stores nothing', async () => {
    const namespace = newNamespace();
    const file = join(folder, 'strict.jsonl');
    await writeFile(file, `${lines({ text: 'before' })}{"txt":"a"}\n${lines({ text: 'after' })}{\n`);
    const { code, stdout, stderr } = await mneme(['import', file, '--strict', '--namespace', namespace]);
    expect([code, stdout]).toEqual([5, '']);
    expect(stderr).toContain(`${file}:2:2: txt is not a key of a memory; did you mean text?`);
    expect(stderr).toContain(`${file}:4:1: expected one JSON object a line, got one over several lines`);
    expect(stderr).toContain('mneme: nothing was stored: 2 lines were wrong of 4');
    expect((await mneme(['list', '--namespace', namespace])).stdout).toBe('');
    await writeFile(file, lines({ text: 'before' }, { text: 'after' }));
    const whole = await mneme(['import', file, '--strict', '--namespace', namespace]);
    expect([whole.code, whole.stdout]).toEqual([0, 'created 2, unchanged 0, skipped 0\n']);
    expect((await mneme(['import', '--strict'], lines({ text: 'a' }))).code).toBe(2);
  });
});
