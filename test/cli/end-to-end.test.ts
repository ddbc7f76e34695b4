import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { runMneme } from './support/run-mneme.ts';
import { type RunningMneme, startMneme } from './support/start-mneme.ts';

let server: RunningMneme;
let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mneme-cli-'));
  server = await startMneme();
});
afterAll(async () => {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
});

const mneme = (args: readonly string[], stdin?: string) =>
  runMneme(args, { env: { MNEME_SERVER: server.address }, stdin, ownProcess: true });

describe('mneme against a server', () => {
  it('stored memories › are recalled, shown, listed and forgotten', async () => {
    const inSpace = ['--namespace', 'tour'];
    const stored = await mneme([
      'store',
      'Caroline plays the cello',
      '--speaker',
      'Caroline',
      '--tag',
      'music',
      ...inSpace,
    ]);
    const id = stored.stdout.trim();
    await mneme(['store', 'The harbour was frozen', '--speaker', 'Mel', ...inSpace]);

    const recalled = await mneme(['recall', 'who plays the cello?', '--explain', ...inSpace]);
    const shown = await mneme(['get', id, ...inSpace]);
    const listed = await mneme(['list', '--tag', 'music', '--json', ...inSpace]);
    const stats = await mneme(['stats', '--json', ...inSpace]);
    const forgotten = await mneme(['forget', id, ...inSpace]);
    const gone = await mneme(['get', id, ...inSpace]);

    expect(recalled.stdout).toMatch(/^ {2}1 .* Caroline plays the cello\n.* Caroline {2}/);
    expect(recalled.stdout).toContain(id);
    expect(shown.stdout).toContain('tags        music\n');
    expect(JSON.parse(listed.stdout)).toMatchObject({ id, text: 'Caroline plays the cello', type: 'message' });
    expect(JSON.parse(stats.stdout)).toMatchObject({ statistics: { memoryCount: 2 } });
    expect(forgotten.stdout).toBe('forgot 1 memory\n');
    expect(gone.code).toBe(3);
    expect(gone.stderr).toContain('"mneme list" shows the ids of stored memories.');
  });

  it.each([
    [['store', 'x', '--id', 'no/slash'], 5, 'memory_id'],
    [['get', 'nothing', '--namespace', 'nowhere'], 3, '"mneme list"'],
    [['list', '--namespace', 'Not Allowed'], 5, 'for example --namespace not-allowed'],
    [['namespaces', 'delete', 'nowhere'], 3, 'nowhere'],
  ])('mneme %j › exits with %i and names the problem', async (args, code, said) => {
    const finished = await mneme(args);

    expect([finished.code, finished.stdout]).toEqual([code, '']);
    expect(finished.stderr).toContain(said);
  });

  it('storing the same id again › is a conflict', async () => {
    await mneme(['store', 'first', '--id', 'door', '--namespace', 'conflict']);

    const { code, stderr } = await mneme(['store', 'second', '--id', 'door', '--namespace', 'conflict']);

    expect(code).toBe(6);
    expect(stderr).toContain('namespaces/conflict/memories/door');
  });

  it('the example of the client › prints the output in the README', async () => {
    const example = fileURLToPath(new URL('../../clients/typescript/example.ts', import.meta.url));

    const { stdout, stderr } = await promisify(execFile)(process.execPath, [example, server.address]);

    expect(stderr).toBe('');
    expect(stdout).toContain(
      "updated { door: 'closed', room: 'hall' }\nstored { door: 'open', room: 'hall' }\nforgot 2\n",
    );
  });
});

describe('mneme export and import against a server', () => {
  const LINES = [
    { id: 'bare', text: 'tea at five' },
    {
      id: 'full',
      type: 'episode',
      text: 'naïve café 漢字 🚪',
      scope: { project: 'p', agentType: 'planner', agent: 'a', session: 's' },
      step: Number.MAX_SAFE_INTEGER,
      eventTime: '2023-11-14T22:13:20.123456Z',
      createTime: '2023-11-14T22:13:21.000001Z',
      updateTime: '2023-11-14T22:13:22.999999Z',
      content: { mediaType: 'application/json', text: '{"a": 1.0,\n "a2":"\\u00e9"}' },
      tags: ['x', 'y'],
      embedding: {
        model: 'test',
        dimension: 3,
        data: Buffer.from([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]).toString('base64'),
      },
      place: { point: { x: -0.5, y: 2 }, geo: { latitudeDeg: 52.5, longitudeDeg: -13.4 }, location: 'harbour' },
      importance: 0,
      priority: 0.25,
      source: { speaker: 'Ann', uri: 'file:1', origin: 'test' },
      retrievalCount: 3,
      lastAccessTime: '2024-01-01T00:00:00.000007Z',
      expireTime: '2199-01-01T00:00:00.000Z',
      validFrom: '1969-12-31T23:59:59.999999Z',
      validUntil: '2199-01-01T00:00:00.000Z',
      supersededBy: 'bare',
    },
    {
      id: 'bytes',
      content: { mediaType: 'image/png', data: Buffer.from([0xff, 0x00, 0xfe]).toString('base64') },
      text: 'door',
    },
  ];

  it('exported, imported elsewhere and exported again › is the same file, byte for byte', async () => {
    const lines = LINES.map((line) => `${JSON.stringify(line)}\n`).join('');
    const first = join(folder, 'first.jsonl');

    const imported = await mneme(['import', '--namespace', 'one', '--json'], lines);
    await mneme(['export', '--namespace', 'one', '--out', first]);
    const copied = await mneme(['import', first, '--namespace', 'two']);
    const again = await mneme(['import', first, '--namespace', 'two', '--conflict', 'replace']);
    const second = await mneme(['export', '--namespace', 'two']);

    expect(JSON.parse(imported.stdout)).toMatchObject({ createdCount: 3, unchangedCount: 0, skippedCount: 0 });
    expect(copied.stdout).toBe('created 3, unchanged 0, skipped 0\n');
    expect(again.stdout).toBe('created 0, unchanged 3, skipped 0\n');
    const exported = await readFile(first, 'utf8');
    expect(second.stdout).toBe(exported);
    const byId = new Map(
      exported
        .trim()
        .split('\n')
        .map((line) => [(JSON.parse(line) as { id: string }).id, line]),
    );
    const line = (id: string) => JSON.parse(byId.get(id) ?? 'null') as object;
    expect(line('full')).toEqual(LINES[1]);
    expect(line('bare')).toMatchObject({ text: 'tea at five', importance: 0.5, priority: 1 });
    expect(line('bytes')).toMatchObject({ content: LINES[2]?.content });
  });
});
