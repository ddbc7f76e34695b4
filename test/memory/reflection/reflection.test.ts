import { describe, expect, it } from '@jest/globals';
import type { EpisodeRecord } from '../../../src/memory/reflection/episode-record.ts';
import { WHOLE_NAMESPACE } from '../../../src/memory/scope.ts';
import { seededRandom, type TestRandom } from '../../support/random.ts';
import { DAY_US, episode, HOUR_US, randomEpisodes, reflected, START_US } from './histories.ts';

const SEED = '7';

describe('reflection on a constructed history', () => {
  it('an action that goes with success › a factor, a learning, and a recommendation where failures lack it', () => {
    const random = seededRandom('action', SEED);
    const records = [...randomEpisodes(random, 120)].map((record): EpisodeRecord => {
      const isTested = record.actions.includes('ran the tests');
      return { ...record, outcome: random.chance(isTested ? 0.9 : 0.3) ? 'success' : 'failure' };
    });
    const { successFactors, insights } = reflected(records);
    const [first] = successFactors;
    expect(first).toMatchObject({ feature: { kind: 'action', value: 'ran the tests' } });
    expect(successFactors).toHaveLength(1);
    expect(first?.lift).toBeGreaterThan(2);
    expect(first?.confidence).toBeGreaterThan(0.999);
    const present = records.filter(({ actions }) => actions.includes('ran the tests'));
    expect(first?.present.episodes).toBe(present.length);
    const successes = present.filter(({ outcome }) => outcome === 'success');
    expect(first?.episodes).toEqual(
      successes
        .slice(-10)
        .reverse()
        .map(({ id }) => id),
    );
    expect(first?.text).toContain(`${successes.length} of ${present.length}`);
    expect(insights.map(({ kind }) => kind)).toEqual(['recommendation', 'learning']);
    expect(insights[0]?.text).toMatch(
      /^Consider the action “ran the tests”: \d+ of the \d+ episodes that did not succeed lack it\.$/,
    );
  });

  it('two actions together that go with failure, each alone not › the sequence', () => {
    const records = Array.from({ length: 80 }, (_, at) => {
      const [first, second] = [at % 2 === 0, at % 4 < 2];
      const actions = [...(first ? ['force push'] : []), ...(second ? ['deploy'] : []), 'wait'];
      return episode(at, { actions, outcome: (first && second) !== (at % 20 === 0) ? 'failure' : 'success' });
    });
    const [factor] = reflected(records).successFactors;
    expect(factor).toMatchObject({ feature: { kind: 'action_sequence', value: 'force push → deploy' } });
    expect(factor?.lift).toBeLessThan(1);
  });

  it('a task that mostly fails › a recurring failure with its lesson, numbers of tasks apart', () => {
    const records = Array.from({ length: 40 }, (_, at) =>
      at % 4 === 0
        ? episode(at, {
            task: `migrate database ${at}`,
            outcome: at === 4 ? 'success' : 'failure',
            lessons: ['Take a backup.'],
          })
        : episode(at, { outcome: at % 3 === 0 ? 'failure' : 'success' }),
    );
    const { patterns, insights } = reflected(records);
    expect(patterns[0]).toMatchObject({
      ...{ kind: 'recurring_failure', feature: { kind: 'task', value: 'migrate database #' } },
      counts: { episodes: 10, failures: 9, successes: 1, partials: 0 },
    });
    expect(patterns[0]?.episodes).not.toContain('e00004');
    const warning = insights.find(({ kind }) => kind === 'warning');
    expect(warning?.text).toContain('migrate database #');
    const advice = insights.find(({ kind }) => kind === 'recommendation');
    expect(advice?.text).toBe('Remember the lesson “Take a backup.”: 10 episodes recorded it, 9 of them failures.');
  });

  it.each([
    ['tag', 'risky', { tags: ['risky'] }],
    ['agent', 'ben', { scope: { ...WHOLE_NAMESPACE, agent: 'ben' } }],
    ['metadata', 'model=small', { metadata: ['model=small'] }],
    ['task_word', 'legacy', { task: 'repair the legacy service' }],
  ] as const)('a %s that goes with failure › found', (kind, value, fields) => {
    const records = Array.from({ length: 60 }, (_, at) => {
      const isMarked = at % 3 === 0;
      const usual = { scope: { ...WHOLE_NAMESPACE, agent: 'ada' }, metadata: ['model=large'], task: `job ${at % 7}` };
      const task =
        isMarked && 'task' in fields ? `${fields.task} ${String.fromCharCode(97 + (at % 9))}` : `job ${at % 7}`;
      const outcome = isMarked === (at % 15 !== 0) ? 'failure' : 'success';
      return episode(at * 5, { ...usual, ...(isMarked ? fields : {}), task, outcome });
    });
    const found = reflected(records).successFactors.flatMap(({ feature, related }) => [feature, ...related]);
    expect(found).toContainEqual({ kind, value });
  });

  it('failures in the night, and after failures › found, in UTC', () => {
    const night = Array.from({ length: 80 }, (_, at) =>
      episode(at * 6, { outcome: at % 4 === 0 && at % 16 !== 0 ? 'failure' : 'success' }),
    );
    expect(reflected(night).successFactors[0]).toMatchObject({
      feature: { kind: 'time_of_day', value: '00:00-06:00' },
      text: expect.stringContaining('ended from 00:00 to 06:00 UTC'),
    });
    const streaks = Array.from({ length: 80 }, (_, at) =>
      episode(at * 7, { outcome: Math.floor(at / 8) % 2 === 0 ? 'success' : 'failure' }),
    );
    expect(reflected(streaks).successFactors[0]?.feature.kind).toBe('preceding_outcome');
  });

  it('an action that saves time within the same task › an optimization', () => {
    const records = Array.from({ length: 60 }, (_, at) => {
      const isFast = at % 2 === 0;
      const minutes = (at % 3 === 0 ? 60 : 5) * (isFast ? 1 : 3) * (1 + (at % 5) / 20);
      const task = at % 3 === 0 ? 'train the model' : 'format the code';
      return episode(at, {
        task,
        actions: isFast ? ['used the cache'] : ['built anew'],
        durationSeconds: 60 * minutes,
      });
    });
    const { efficiencyFactors, insights } = reflected(records);
    expect(efficiencyFactors).toHaveLength(1);
    expect(efficiencyFactors[0]).toMatchObject({ measure: 'duration', presentCount: 30, absentCount: 30 });
    expect(insights.find(({ kind }) => kind === 'optimization')?.text).toMatch(/take (less|more) time: a median of/);
  });

  it('durations and tokens far from the 30 days before › anomalies with median, score and episode', () => {
    const random = seededRandom('sizes', SEED);
    const records = Array.from({ length: 40 }, (_, at) =>
      episode(at * 10, {
        durationSeconds: at === 35 ? 7200 : 300 + random.int(60),
        tokens: at === 38 ? 90 : 4000 + random.int(500),
      }),
    );
    const { anomalies } = reflected(records, { from: 20 });
    expect(anomalies.map(({ measure, episodes }) => [measure, episodes])).toEqual([
      ['tokens', ['e00380']],
      ['duration', ['e00350']],
    ]);
    expect(anomalies[1]?.score).toBeGreaterThan(3.5);
    expect(anomalies[1]?.text).toMatch(
      /^An episode of the task “deploy the shop” took 2 h, \d+ times the median; the median of 35 episodes of this task/,
    );
    expect(anomalies[0]?.text).toContain('used only 90 tokens;');
  });

  it('a day of failures › an anomaly of that day with the failures of the 30 days before', () => {
    const records = Array.from({ length: 100 }, (_, at) => {
      const isBadDay = Math.floor((at * 6) / 24) === 20;
      return episode(at * 6, { outcome: isBadDay || at % 12 === 0 ? 'failure' : 'success' });
    });
    const day = reflected(records, { from: 40 }).anomalies.filter(({ measure }) => measure === 'failure_rate');
    expect(day).toHaveLength(1);
    expect(day[0]).toMatchObject({ atUs: START_US + 20 * DAY_US, value: 1, baselineCount: 80 });
    expect(day[0]?.text).toContain('On 22 November 2026 (UTC) 4 of 4 episodes (100 %) failed');
  });

  it('an action that was never seen › an anomaly; where every action is new, none is', () => {
    const known = (at: number) => ['ran the tests', 'read the log'].slice(at % 2);
    const stable = Array.from({ length: 40 }, (_, at) =>
      episode(at, { actions: at === 30 ? ['dropped the table'] : known(at) }),
    );
    const { anomalies } = reflected(stable);
    expect(anomalies).toMatchObject([{ measure: 'action', action: 'dropped the table', episodes: ['e00030'] }]);
    const free = Array.from({ length: 40 }, (_, at) => episode(at, { actions: [`did ${'x'.repeat(at)}`] }));
    expect(reflected(free).anomalies).toEqual([]);
  });

  it('a success rate that falls › a warning; durations that fall › a trend', () => {
    const falling = Array.from({ length: 40 }, (_, at) =>
      episode(at, { outcome: at < 20 === (at % 7 !== 0) ? 'success' : 'failure', durationSeconds: 1000 - 20 * at }),
    );
    const { trends, insights } = reflected(falling);
    expect(trends.map(({ measure }) => measure)).toEqual(['success_rate', 'duration']);
    expect(insights.find(({ kind }) => kind === 'warning')?.text).toMatch(
      /^The success rate fell from \d+ % in the 20/,
    );
    expect(insights.find(({ kind }) => kind === 'trend')?.text).toMatch(/^The median duration fell from 13 min/);
  });

  it('limits › at most so many results, citations and no support below the minimum', () => {
    const random = seededRandom('limits', SEED);
    const records = [...randomEpisodes(random, 200)].map((record) => ({
      ...record,
      outcome: record.actions.length > 2 ? ('success' as const) : ('failure' as const),
    }));
    const few = reflected(records, { limit: 1, citationsMax: 2 });
    const lists = [few.patterns, few.successFactors, few.anomalies, few.insights];
    expect(lists.every((list) => list.length <= 1)).toBe(true);
    expect(few.successFactors[0]?.episodes).toHaveLength(2);
    expect(reflected(records, { supportMin: 150 }).successFactors).toEqual([]);
  });

  it('the same history › the same answer; an empty one › nothing', () => {
    const records = [...randomEpisodes(seededRandom('same', SEED), 100)];
    expect(reflected(records, { confidenceMin: 0.5 })).toEqual(reflected(records, { confidenceMin: 0.5 }));
    expect(reflected([])).toMatchObject({ counts: { episodes: 0 }, insights: [], patterns: [], trends: [] });
    expect(reflected([episode(0), episode(1, { atUs: START_US + HOUR_US })]).insights).toEqual([]);
  });
});

describe('reflection on a random history', () => {
  it.each([
    ['uniform', (random: TestRandom) => random.next()],
    ['exponential', (random: TestRandom) => -Math.log(1 - random.next())],
    ['constant', () => 1],
    ['0 or 1', (random: TestRandom) => random.int(2)],
  ] as const)('%s durations and tokens › no anomaly in nineteen of twenty histories', (_, draw) => {
    const random = seededRandom('shapes');
    const HISTORIES = 20;
    let found = 0;
    for (let history = 0; history < HISTORIES; history++) {
      const records = Array.from({ length: 100 }, (__, at) =>
        episode(at, { durationSeconds: 100 * draw(random), tokens: Math.round(1000 * draw(random)) }),
      );
      found += Number(reflected(records).anomalies.length > 0);
    }
    process.stderr.write(`${found} of ${HISTORIES} have an anomaly\n`);
    // The probability of more than 6 of 20 at one in twenty is below 1 in 10,000.
    expect(found).toBeLessThanOrEqual(6);
  });

  it.each([30, 120])(
    '%d episodes without a pattern › at most a twentieth of the histories has a result of a kind',
    (count) => {
      const random = seededRandom('random');
      const HISTORIES = 60;
      const found = { patterns: 0, successFactors: 0, efficiencyFactors: 0, anomalies: 0, trends: 0 };
      for (let history = 0; history < HISTORIES; history++) {
        const result = reflected([...randomEpisodes(random, count)]);
        for (const kind of Object.keys(found) as (keyof typeof found)[]) found[kind] += Number(result[kind].length > 0);
      }
      process.stderr.write(`${count} episodes: ${JSON.stringify(found)}\n`);
      // The probability of more than 11 of 60 at one in twenty is below 1 in 10,000.
      for (const histories of Object.values(found)) expect(histories).toBeLessThanOrEqual(11);
    },
  );
});
