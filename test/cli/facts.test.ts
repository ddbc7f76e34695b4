import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { runMneme } from './support/run-mneme.ts';
import { type ServedMneme, serveMneme } from './support/serve-mneme.ts';

let server: ServedMneme;
beforeAll(async () => {
  server = await serveMneme();
});
afterAll(() => server.stop());

async function facts(...args: readonly string[]): Promise<string[]> {
  const { code, stdout, stderr } = await runMneme(['facts', ...args], { env: { MNEME_SERVER: server.address } });
  if (code !== 0) throw new Error(`facts ${args.join(' ')}: ${code}: ${stderr}`);
  return stdout.trim().split('\n');
}

it('facts › asserted, superseded, undone and forgotten', async () => {
  const [first = ''] = await facts('assert', 'user', 'home_city', 'Lisbon', '--from', '2026-01-05');
  expect(first).toMatch(/^[0-9a-f-]{36} {2}created$/);
  const [second = ''] = await facts('assert', 'user', 'lives in', 'Rome', '--from', '2026-02-01');
  expect(second).toMatch(/^[0-9a-f-]{36} {2}created, 1 fact ended$/);
  expect(await facts('list', '--subject', 'user')).toEqual([
    expect.stringMatching(/^[0-9a-f]{8} {2}user home_city: Rome {2}\d\.\d\d {2}since 2026-02-01$/),
  ]);
  expect(await facts('list', '--as-of', '2026-01-10')).toEqual([expect.stringContaining('home_city: Lisbon')]);
  expect(await facts('history', 'user', 'home_city')).toEqual([
    expect.stringMatching(/2026-01-05 – 2026-02-01 {2}Lisbon {2}superseded$/),
    expect.stringMatching(/2026-02-01 – now +Rome$/),
  ]);
  const undone = await facts('undo', first.slice(0, 8));
  expect(undone).toEqual([expect.stringContaining('home_city: Lisbon'), `took back ${second.slice(0, 36)}`]);
  expect(await facts('forget', '--subject', 'user', '--dry-run')).toEqual(['would forget 2 facts']);
  expect(await facts('forget', '--subject', 'user')).toEqual(['forgot 2 facts']);
  expect(await facts('history', 'user', 'home_city')).toEqual(['2 facts forgotten']);
  const [retracted] = await facts('assert', 'user', 'home_city', '--retract', '--json');
  expect(JSON.parse(retracted ?? '')).toMatchObject({ outcome: 'ignored', supersededIds: [] });
});
