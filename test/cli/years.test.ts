import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type McpHost, startMcpHost } from './mcp/support/mcp-host.ts';
import { runMneme } from './support/run-mneme.ts';
import { type ServedMneme, serveMneme } from './support/serve-mneme.ts';

const FIRST = '0001-01-01T00:00:00.000Z';
const LAST = '9999-12-31T23:59:59.999999Z';

let server: ServedMneme;
beforeAll(async () => {
  server = await serveMneme();
});
afterAll(() => server.stop());

const run = (args: readonly string[], stdin = '') => runMneme([...args, '--server', server.address], { stdin });

describe('A4 times from year 1 to 9999, on the command line', () => {
  it('a file that is imported and exported › has the same times', async () => {
    const lines = [
      { id: 'a', text: 'a', eventTime: FIRST, createTime: '0099-12-31T23:59:59.999Z', validFrom: FIRST },
      {
        id: 'b',
        text: 'b',
        eventTime: LAST,
        createTime: '2026-11-29T08:00:00.123456Z',
        validUntil: LAST,
        expireTime: LAST,
      },
    ];
    const imported = await run(
      ['import', '--namespace', 'years'],
      lines.map((line) => JSON.stringify(line)).join('\n'),
    );
    expect([imported.code, imported.stdout.trim()]).toEqual([0, 'created 2, unchanged 0, skipped 0']);
    const { stdout } = await run(['export', '--namespace', 'years']);
    const exported = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as object);
    expect(exported).toEqual(lines.map((line) => expect.objectContaining(line)));
    const ids = async (...flags: string[]) =>
      (await run(['list', '--namespace', 'years', '--json', ...flags])).stdout
        .trim()
        .split('\n')
        .map((line) => (line === '' ? '' : (JSON.parse(line) as { id: string }).id));
    expect(await ids('--until', '0001-01-01')).toEqual(['a']);
    expect(await ids('--since', '9999-12-31')).toEqual(['b']);
    expect(await ids('--since', '0001-01-01[Asia/Tokyo]', '--until', '9999-12-31')).toEqual(['b', 'a']);
    expect(await ids('--filter', 'create_time = 0099-12-31')).toEqual(['a']);
  });

  it('a time of no such year › is refused by its name', async () => {
    const { code, stderr } = await run(['store', 'x', '--namespace', 'years', '--event-time', '0000-06-01']);
    expect([code === 0, stderr]).toEqual([false, expect.stringMatching(/event.time/i)]);
  });
});

describe('A5 an expiry that is over, on the command line', () => {
  it('a line of an old export that has expired since › is named and passed over; the others are stored', async () => {
    const lines = [
      { id: 'a', text: 'a' },
      { id: 'b', text: 'b', expireTime: '2020-01-01T00:00:00.000Z' },
      { id: 'c', text: 'c' },
    ];
    const imported = await run(['import', '--namespace', 'old'], lines.map((line) => JSON.stringify(line)).join('\n'));
    expect(imported.stdout.trim()).toBe('created 2, unchanged 0, skipped 1');
    expect(imported.stderr).toMatch(/stdin:2: expire_time: must be after now, .*, got 2020-01-01T00:00:00\.000000Z/);
    expect(imported.code).not.toBe(0);
  });
});

describe('A4 and A5 in MCP', () => {
  let host: McpHost;
  beforeAll(async () => {
    host = await startMcpHost('2025-11-25', ['--server', server.address, '--namespace', 'mcp']);
  });
  afterAll(() => host.close());

  it('times of far years and microseconds › come back as they were given', async () => {
    const times = {
      event_time: '2026-11-29T08:00:00.123456Z',
      valid_from: FIRST,
      valid_until: LAST,
      expire_time: LAST,
    };
    const stored = await host.call('remember', { text: 'the lease has no end', ...times });
    expect([stored.isError, stored.text]).toEqual([false, expect.stringContaining('Remembered')]);
    const { structured } = await host.call('recall', { text: 'lease', as_of: '5000-01-01' });
    const { expire_time: _, ...shown } = times;
    expect(structured['memories']).toEqual([expect.objectContaining(shown)]);
  });

  it('an expiry that is over › is refused in update too', async () => {
    const stored = await host.call('remember', { text: 'milk' });
    const [memory] = stored.structured['memories'] as { id: string }[];
    const refused = await host.call('update', { id: memory?.id, expire_time: '2020-01-01' });
    expect([refused.isError, refused.text]).toEqual([
      true,
      expect.stringContaining('expire_time: expected a time in the future'),
    ]);
  });
});
