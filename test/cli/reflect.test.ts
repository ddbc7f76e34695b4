import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { connect } from '../../clients/typescript/src/index.ts';
import { runMneme } from './support/run-mneme.ts';
import { type ServedMneme, serveMneme } from './support/serve-mneme.ts';

let server: ServedMneme;
beforeAll(async () => {
  server = await serveMneme();
});
afterAll(() => server.stop());

async function reflect(...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await runMneme(['reflect', ...args], { env: { MNEME_SERVER: server.address } });
  if (code !== 0) throw new Error(`reflect ${args.join(' ')}: ${code}: ${stderr}`);
  return stdout;
}

it('reflect › the advice as sentences with their episodes, every result with --details, everything as JSON', async () => {
  const mneme = connect(server.address);
  const HOUR_MS = 3_600_000;
  const startMs = Date.UTC(2026, 10, 2, 9);
  for (let at = 0; at < 12; at++) {
    const isTested = at % 3 !== 0;
    await mneme.episodes.record({
      task: 'deploy the shop',
      outcome: isTested ? 'success' : 'failure',
      actions: isTested ? ['ran the tests', 'pushed'] : ['pushed'],
      lessons: isTested ? [] : ['Run the tests first.'],
      eventTime: new Date(startMs + at * HOUR_MS),
    });
  }
  await mneme.close();
  const range = ['--since', '2026-11-01', '--until', '2026-11-08'];
  const advice = await reflect(...range);
  expect(advice.split('\n').slice(0, 6)).toEqual([
    '12 episodes from 2026-11-01 to 2026-11-08: 8 succeeded, 4 failed',
    'recorded with actions: 12, with duration: 0, with tokens: 0',
    '',
    'recommendation',
    '  Remember the lesson “Run the tests first.”: 4 episodes recorded it, all failures.',
    expect.stringMatching(/^ {2}over 99\.9 % certain, 4 episodes: [0-9a-f]{8}, [0-9a-f]{8}, [0-9a-f]{8} …$/),
  ]);
  expect(advice).toContain('Consider the action “ran the tests”: all 4 episodes that did not succeed lack it.');
  const details = await reflect(...range, '--details');
  expect(details).toContain('success factors\n  Episodes with the action “ran the tests” succeed more often: 8 of 8');
  expect(details).toMatch(/lift 5\.4, 8 episodes: /);
  const json = JSON.parse(await reflect(...range, '--json', '--limit', '1')) as { insights: unknown[] };
  expect(json).toMatchObject({ counts: { episodes: 12 }, truncated: false, phrasingFailure: '' });
  expect(json.insights).toHaveLength(1);
  expect(await reflect(...range, '--task', 'plants')).toBe(
    'no episodes with a known outcome from 2026-11-01 to 2026-11-08\n',
  );
  expect(await reflect(...range, '--min-support', '9')).toContain('Nothing stands out');
});

it('reflect › a range that ends before it begins is refused by field', async () => {
  const answer = await runMneme(['reflect', '--since', '2026-11-08', '--until', '2026-11-01'], {
    env: { MNEME_SERVER: server.address },
  });
  expect([answer.code, answer.stdout]).toEqual([5, '']);
  expect(answer.stderr).toContain('start_time: must be before end_time');
});
