import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  EpisodeFeatureKind,
  EpisodePatternKind,
  InsightKind,
  RecordEpisodeRequest,
  ReflectRequest,
  TaskOutcome,
} from '../../../../gen/ts/mneme/v1/knowledge_service.ts';
import { ChatEndpoint } from '../../../support/chat-endpoint.ts';
import { ask, refusal } from '../support/ask.ts';
import { freshNamespace, store } from '../support/memories.ts';
import { MEMORY_BACKENDS, startSessionServer } from '../support/session-backends.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

type Partially<T> = T extends { fromPartial(object: infer P): unknown } ? P : never;
const { TASK_OUTCOME_FAILURE: FAILURE, TASK_OUTCOME_SUCCESS: SUCCESS } = TaskOutcome;
const DAY_S = 86_400;
/** The server's clock is that of the system: episodes are put before its start. */
const NOW_S = Math.floor(Date.now() / 1000);

describe.each(MEMORY_BACKENDS)('reflection (%s)', (backend) => {
  let mneme: TestServer;
  beforeAll(async () => {
    mneme = await startSessionServer(backend);
  });
  afterAll(() => mneme?.stop());

  const at = (daysAgo: number) => ({ seconds: BigInt(NOW_S - Math.round(daysAgo * DAY_S)), nanos: 0 });
  function fresh() {
    const parent = freshNamespace();
    const { knowledge } = mneme;
    return {
      parent,
      record: (daysAgo: number, fields: Partially<typeof RecordEpisodeRequest>) =>
        ask(
          knowledge,
          knowledge.recordEpisode,
          RecordEpisodeRequest.fromPartial({ parent, eventTime: at(daysAgo), task: 'deploy the shop', ...fields }),
        ),
      reflect: (fields: Partially<typeof ReflectRequest> = {}) =>
        ask(knowledge, knowledge.reflect, ReflectRequest.fromPartial({ parent, ...fields })),
    };
  }

  it('recorded episodes › factors, patterns and insights that cite them; expired and other scopes apart', async () => {
    const { record, reflect, parent } = fresh();
    const names: string[] = [];
    for (let n = 0; n < 16; n++) {
      const isTested = n % 2 === 0;
      const { name } = await record(1 + n / 10, {
        ...{ outcome: isTested ? SUCCESS : FAILURE, actions: isTested ? ['ran the tests', 'pushed'] : ['pushed'] },
        ...{ scope: { agent: 'ada' }, duration: { seconds: 60n, nanos: 0 } },
      });
      names.push(name);
    }
    await record(1, { scope: { agent: 'ben' }, outcome: FAILURE, task: 'water the plants' });
    await store(mneme, parent, { type: 'episode', text: 'A conversation.', scope: { agent: 'ada' } });
    const answer = await reflect({ scope: { agent: 'ada' }, maxCitations: 3 });
    expect(answer).toMatchObject({
      counts: { episodes: 16, successes: 8, failures: 8, partials: 0 },
      ...{ unknownOutcomeCount: 1, baselineCount: 0, truncated: false, damagedCount: 0 },
      ...{ actionsRecordedCount: 16, durationRecordedCount: 16, tokensRecordedCount: 0 },
    });
    expect(answer.successFactors).toMatchObject([
      {
        feature: { kind: EpisodeFeatureKind.EPISODE_FEATURE_KIND_ACTION, value: 'ran the tests' },
        present: { episodes: 8, successes: 8 },
        absent: { episodes: 8, failures: 8 },
        lift: 9,
        episodes: [names[0], names[2], names[4]],
        text: 'Episodes with the action “ran the tests” succeed more often: 8 of 8 (100 %), against 0 of 8 (0 %) of the others.',
      },
    ]);
    expect(answer.insights.map(({ kind }) => kind)).toEqual([
      InsightKind.INSIGHT_KIND_RECOMMENDATION,
      InsightKind.INSIGHT_KIND_LEARNING,
    ]);
    expect(answer.insights.every(({ text, computedText }) => text === computedText)).toBe(true);
    expect(await reflect({ scope: { agent: 'ada' }, task: 'plants' })).toMatchObject({ counts: { episodes: 0 } });
    expect(await reflect({ task: 'watering plant' })).toMatchObject({ counts: { episodes: 1 } });
  });

  it('a time range and a limit of episodes › the newest of it, the ones before are the baseline', async () => {
    const { record, reflect } = fresh();
    for (let n = 0; n < 8; n++) await record(n * 10 + 1, { outcome: FAILURE });
    expect(await reflect()).toMatchObject({ counts: { episodes: 3 }, baselineCount: 3, truncated: false });
    const before = await reflect({ startTime: at(75), endTime: at(40) });
    expect(before).toMatchObject({ counts: { episodes: 4 }, baselineCount: 0 });
    expect(before.patterns).toEqual([]);
    const all = await reflect({ startTime: at(80) });
    expect(all.patterns).toMatchObject([{ kind: EpisodePatternKind.EPISODE_PATTERN_KIND_RECURRING_FAILURE }]);
    const cut = await reflect({ startTime: at(80), maxEpisodes: 2 });
    expect(cut).toMatchObject({ counts: { episodes: 2 }, baselineCount: 2, truncated: true, startTime: at(11) });
  });

  it('bad input › each field is named', async () => {
    const { reflect, parent } = fresh();
    expect(await reflect()).toMatchObject({ counts: { episodes: 0 }, insights: [] });
    const bad = { minSupport: 1, minConfidence: 1, maxEpisodes: 20_001, limit: -1, maxCitations: 51 };
    expect(await refusal(reflect({ ...bad, parent: 'x', task: 'x'.repeat(2049) }))).toMatchObject({
      code: 'INVALID_ARGUMENT',
      fields: ['parent', 'task', 'min_support', 'min_confidence', 'max_episodes', 'limit', 'max_citations'],
    });
    const inverted = await refusal(reflect({ startTime: at(1), endTime: at(2) }));
    expect(inverted).toMatchObject({ code: 'INVALID_ARGUMENT', fields: ['start_time'] });
    expect((await refusal(reflect({ startTime: at(367) }))).fields).toEqual(['start_time']);
    expect((await refusal(reflect({ startTime: at(-1) }))).fields).toEqual(['start_time']);
    expect((await refusal(reflect({ minConfidence: Number.NaN }))).fields).toEqual(['min_confidence']);
    await store(mneme, parent, { text: 'a' });
    expect(await reflect()).toMatchObject({ counts: { episodes: 0 }, insights: [] });
  });
});

describe('insights in the words of a model', () => {
  let mneme: TestServer;
  let endpoint: ChatEndpoint;
  beforeAll(async () => {
    endpoint = await ChatEndpoint.started();
    mneme = await startTestServer({ extractorUrl: endpoint.url, extractorModel: 'small' });
  });
  afterAll(async () => {
    await mneme?.stop();
    await endpoint?.close();
  });

  /** The answer for twelve episodes with two insights, where the model replies so. */
  async function phrased(reply: ChatEndpoint['reply'], deadlineMs = 10_000) {
    const parent = freshNamespace();
    const { knowledge } = mneme;
    for (let n = 0; n < 12; n++) {
      const isTested = n % 3 !== 0;
      const actions = isTested ? ['ran the tests', 'pushed'] : ['pushed'];
      const fields = { parent, task: 'deploy', outcome: isTested ? SUCCESS : FAILURE, actions };
      await ask(knowledge, knowledge.recordEpisode, RecordEpisodeRequest.fromPartial(fields));
    }
    endpoint.reply = reply;
    const request = ReflectRequest.fromPartial({ parent, phrase: true });
    return ask(knowledge, knowledge.reflect, request, { deadlineMs });
  }

  it('good phrases › instead of the sentences, with the same numbers and citations', async () => {
    const answer = await phrased(({ lines }) => ({
      content: { phrases: lines.map(({ n, text }) => ({ n, text: `Well: ${text}` })) },
    }));
    expect(answer).toMatchObject({ phrasedCount: 2, phrasingFailure: '' });
    for (const { text, computedText, episodes } of answer.insights) {
      expect(text).toBe(`Well: ${computedText}`);
      expect(episodes.length).toBeGreaterThan(0);
    }
    expect(endpoint.requests.at(-1)?.body).toMatchObject({ model: 'small', temperature: 0 });
  });

  it('a phrase with a number of its own › its sentence stays, and the answer says so', async () => {
    const answer = await phrased(({ lines }) => ({
      content: { phrases: lines.map(({ n, text }) => ({ n, text: n === 1 ? `${text} 99 of 100!` : text })) },
    }));
    expect(answer.phrasedCount).toBe(1);
    expect(answer.phrasingFailure).toMatch(/^1 of 2 phrases of the model were not used/);
    expect(answer.insights[0]?.text).toBe(answer.insights[0]?.computedText);
  });

  it.each([
    ['is not JSON', () => ({ content: 'no' }), 'the model wrote JSON that cannot be read'],
    ['is cut off', () => ({ content: '{', finishReason: 'length' }), 'the model was cut off at its limit of tokens'],
    ['is refused', () => ({ status: 401, body: { error: 'no' } }), 'answered 401: no'],
    ['has no phrases', () => ({ content: {} }), 'the model wrote no phrases'],
  ] as const)('an answer that %s › the computed sentences, and the reason', async (_, reply, reason) => {
    const answer = await phrased(reply);
    expect(answer.phrasedCount).toBe(0);
    expect(answer.phrasingFailure).toContain(reason);
    expect(answer.insights).toHaveLength(2);
    expect(answer.insights.every(({ text, computedText }) => text === computedText)).toBe(true);
  });

  it('a model that does not answer › the computed sentences before the deadline', async () => {
    const answer = await phrased(() => 'hang', 1500);
    expect(answer.insights).toHaveLength(2);
    expect(answer.phrasingFailure).toMatch(/did not answer within \d+ ms/);
  });

  it('a server without a model › says how to configure one', async () => {
    const plain = await startTestServer();
    try {
      const parent = freshNamespace();
      await store(plain, parent, { text: 'a' });
      const request = ReflectRequest.fromPartial({ parent, phrase: true });
      const answer = await ask(plain.knowledge, plain.knowledge.reflect, request);
      expect(answer.phrasingFailure).toBe('no model is configured: --extractor-url sets its address');
    } finally {
      await plain.stop();
    }
  });
});
