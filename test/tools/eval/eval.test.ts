import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { Conversation } from '../../../tools/eval/question-set.ts';
import { serveMneme } from '../../cli/support/serve-mneme.ts';
import { cleanUp, onCleanUp, serve } from '../../client/support/clean-up.ts';
import { runEval } from './support/run-eval.ts';
import { wordServer } from './support/word-server.ts';

afterEach(cleanUp);

const SET: Conversation[] = [
  {
    conversation_id: 'Talk 1',
    memories: [
      { id: 'talk-1/a', session: '1', date_iso: '2024-03-01T10:00:00', speaker: 'Ann', text: 'I bought a red bicycle' },
      { id: 'talk-1/b', session: '1', date_iso: '2024-03-01T10:00:00', speaker: 'Bob', text: 'The harbour is frozen' },
      { id: 'talk-1/c', session: '2', date_iso: '2024-03-02T10:00:00', speaker: '', text: 'Soup for dinner' },
    ],
    questions: [
      { id: 'q1', text: 'Who has a bicycle?', category: 'single-hop', evidence: ['talk-1/a'] },
      {
        id: 'q2',
        text: 'What is frozen, and what was for dinner?',
        category: 'multi-hop',
        evidence: ['talk-1/b', 'talk-1/c'],
      },
    ],
  },
  {
    conversation_id: 'talk-2',
    memories: [
      { id: 'talk-2/a', session: '1', date_iso: '2024-03-01', speaker: 'Cid', text: 'Rain in Lisbon' },
      { id: 'talk-2/silence', session: '1', date_iso: '2024-03-01', speaker: 'Cid', text: '' },
    ],
    questions: [{ id: 'q3', text: 'Where did it rain?', category: 'single-hop', evidence: ['talk-2/a'] }],
  },
];

async function evaluated(args: readonly string[] = [], set: unknown = SET) {
  const folder = await mkdtemp(join(tmpdir(), 'mneme-eval-test-'));
  onCleanUp(() => rm(folder, { recursive: true, force: true }));
  await writeFile(join(folder, 'set.json'), JSON.stringify(set));
  const server = wordServer();
  const { service } = await serve(server.services);
  const out = join(folder, 'run.jsonl');
  const finished = await runEval([join(folder, 'set.json'), '--server', service.address, '--out', out, ...args]);
  return { ...server, ...finished, out };
}

describe('tools/eval.sh › stored memories', () => {
  it('by conversation › has a namespace for each, with times, speakers, sessions and ids', async () => {
    const { stores, code, stderr } = await evaluated();

    expect([code, stderr]).toEqual([0, '']);
    expect(new Set(stores.map(({ parent }) => parent)).size).toBe(2);
    expect(stores[0]?.requests.map(({ memory }) => memory)).toMatchObject([
      {
        text: 'I bought a red bicycle',
        scope: { session: '1' },
        source: { speaker: 'Ann', uri: 'talk-1/a' },
        eventTime: { seconds: 1_709_287_200n },
      },
      { text: 'The harbour is frozen', eventTime: { seconds: 1_709_287_201n } },
      { source: { speaker: '', uri: 'talk-1/c' }, scope: { session: '2' }, eventTime: { seconds: 1_709_373_600n } },
    ]);
  });

  it('pooled › has one namespace, and sessions of different conversations stay apart', async () => {
    const { stores } = await evaluated(['--pooled']);

    expect(new Set(stores.map(({ parent }) => parent)).size).toBe(1);
    const sessions = stores.flatMap(({ requests }) => requests.map(({ memory }) => memory?.scope?.session));
    expect(sessions).toEqual(['Talk 1/1', 'Talk 1/1', 'Talk 1/2', 'talk-2/1']);
  });

  it('afterwards › its namespaces are deleted', async () => {
    const { stores, deleted } = await evaluated();

    expect(deleted).toEqual([...new Set(stores.map(({ parent }) => parent))]);
  });

  it('many memories › go in batches of at most 500', async () => {
    const [first] = SET;
    const memories = Array.from({ length: 1100 }, (_, n) => ({ ...first?.memories[0], id: `m${n}` }));
    const { stores } = await evaluated([], [{ ...first, memories }]);

    expect(stores.map(({ requests }) => requests.length)).toEqual([500, 500, 100]);
  });
});

describe('tools/eval.sh of a set with bad memories', () => {
  it('reports each, and asks of the rest', async () => {
    const server = await serveMneme();
    onCleanUp(() => server.stop());
    const folder = await mkdtemp(join(tmpdir(), 'mneme-eval-test-'));
    onCleanUp(() => rm(folder, { recursive: true, force: true }));
    const [first] = SET;
    const turn = { session: '1', date_iso: '2024-03-01', speaker: 'Ann' };
    const memories = [
      ...(first?.memories ?? []),
      { ...turn, id: 'too-long', text: 'x'.repeat(1_048_577) },
      { ...turn, id: 'long', text: 'A word. '.repeat(45_000) },
      { ...turn, id: 'malformed', text: 7 },
    ];
    const file = join(folder, 'set.json');
    await writeFile(file, JSON.stringify([{ ...first, memories }]));
    const { code, stdout, stderr } = await runEval([file, '--server', server.address, '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ memoryCount: 4, skippedCount: 2, questionCount: 2 });
    expect(stderr).toMatch(/not stored: set\.json: 0\.memories\.5\.text: /);
    expect(stderr).toMatch(/not stored: too-long: .*at most 1048576 bytes/);
  });
});

describe('tools/eval.sh › questions', () => {
  it('each question › with its text and defaults only', async () => {
    const { recalls } = await evaluated();

    expect(recalls.map(({ text }) => text)).toEqual(SET.flatMap(({ questions }) => questions.map(({ text }) => text)));
    expect(recalls[0]).toMatchObject({ limit: 50, view: 3, explain: false, touch: false, exact: false });
    for (const { filter, scope, weights, embedding } of recalls) {
      expect([filter, scope, weights, embedding]).toEqual([undefined, undefined, undefined, undefined]);
    }
  });

  it('--questions › asks only the first of each conversation', async () => {
    const { recalls } = await evaluated(['--questions', '1']);

    expect(recalls.map(({ text }) => text)).toEqual(['Who has a bicycle?', 'Where did it rain?']);
  });
});

describe('tools/eval.sh › report', () => {
  it('the rankings › are written with the ids of the set, best first', async () => {
    const { out } = await evaluated();

    const lines = (await readFile(out, 'utf8'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as object);
    expect(lines).toMatchObject([
      { question_id: 'q1', ranked: ['talk-1/a', expect.any(String), expect.any(String)] },
      { question_id: 'q2' },
      { question_id: 'q3', ranked: ['talk-2/a'] },
    ]);
  });

  it('for people › is a table by category with latencies', async () => {
    const { stdout } = await evaluated();

    expect(stdout).toMatch(/^4 memories in a namespace for each conversation, stored in \d+\.\d s; 3 questions/);
    expect(stdout).toMatch(/recall@5 +recall@10 +recall@25 +recall@50 +ndcg@10 +mrr\n/);
    for (const group of ['all', 'macro', 'multi-hop', 'single-hop'])
      expect(stdout).toMatch(new RegExp(`^${group} `, 'm'));
    expect(stdout).toMatch(/latency of a question: p50 [\d.]+ ms, p90 [\d.]+ ms, p99 [\d.]+ ms, most [\d.]+ ms\n$/);
  });

  it('--json › has the same in a stable shape', async () => {
    const { stdout } = await evaluated(['--json', '--pooled']);

    const latency = expect.any(Number);
    expect(JSON.parse(stdout)).toMatchObject({
      set: 'set.json',
      pooled: true,
      server: '9.9.9',
      memoryCount: 4,
      questionCount: 3,
      importSeconds: expect.any(Number),
      latencyMs: { p50: latency, p90: latency, p99: latency, max: latency },
      scores: { all: { count: 3, 'recall@5': 100 }, macro: {}, 'multi-hop': { count: 1 }, 'single-hop': { count: 2 } },
    });
  });

  it.each([
    [{}, 'not a set of questions'],
    [[{ ...SET[0], questions: [{ id: 'q' }] }], 'not a set of questions: 0.questions.0.text'],
  ])('an invalid file %# › is refused with the reason', async (set, message) => {
    const { code, stdout, stderr } = await evaluated([], set);

    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain(message);
  });
});

describe('tools/eval.sh --against, --per-question', () => {
  async function against(lines: string, args: readonly string[] = []) {
    const folder = await mkdtemp(join(tmpdir(), 'mneme-eval-test-'));
    onCleanUp(() => rm(folder, { recursive: true, force: true }));
    const former = join(folder, 'former.jsonl');
    await writeFile(former, lines);
    return evaluated(['--against', former, ...args]);
  }

  it('an earlier run › is compared question by question', async () => {
    const { out } = await evaluated();
    const { code, stdout } = await against(await readFile(out, 'utf8'), ['--json']);

    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      comparison: {
        against: 'former.jsonl',
        questionCount: 3,
        added: 0,
        missing: 0,
        differences: { all: { 'recall@10': { difference: 0, low: 0, high: 0, better: 0, worse: 0 } } },
      },
    });
  });

  it('for people › both are tables', async () => {
    const former = `${JSON.stringify({ question_id: 'q1', ranked: ['talk-1/c'] })}\n`;
    const { stdout } = await against(former, ['--per-question']);

    expect(stdout).toMatch(/^q1 +single-hop +100\.0 +[\d.]+ {2}1$/m);
    expect(stdout).toMatch(/^against former\.jsonl: 1 questions that both have, 2 only here, 0 only there; /m);
    expect(stdout).toMatch(/^all +\+100\.00 \[\+100\.00, \+100\.00\] 1\/0/m);
  });

  it.each([
    ['{"question_id": "q1"}', 'former.jsonl:1: not a line of a run'],
    ['nothing', 'former.jsonl:1: not a line of a run'],
    [
      '{"question_id": "q1", "ranked": []}\n{"question_id": "q1", "ranked": []}',
      'former.jsonl:2: question q1 occurs twice',
    ],
  ])('an invalid run %# › is refused before anything is stored', async (lines, message) => {
    const { code, stdout, stderr, stores } = await against(lines);

    expect([code, stdout, stores]).toEqual([1, '', []]);
    expect(stderr).toContain(message);
  });
});

describe('tools/eval.sh --unanswerable', () => {
  it('each question › is also asked of the next conversation, and measures the relevance', async () => {
    const { recalls, stdout } = await evaluated(['--unanswerable', '--json', '--threshold', '0.3']);

    expect(recalls).toHaveLength(6);
    const [own, other] = [recalls.slice(0, 3), recalls.slice(3)];
    expect(other.map(({ text }) => text)).toEqual(own.map(({ text }) => text));
    for (const [at, { parent }] of other.entries()) expect(parent).not.toBe(own[at]?.parent);
    const { answers } = JSON.parse(stdout) as { answers: Record<string, unknown> };
    expect(answers).toMatchObject({ questionsWithout: 3, auroc: 1, threshold: 0.3, falseSilence: 0, falseAnswers: 0 });
  });

  it('for people › is printed with the other figures', async () => {
    const { stdout } = await evaluated(['--unanswerable']);

    expect(stdout).toMatch(/^3 questions asked of another conversation: AUROC of the best hit [\d.]+; at relevance /m);
    expect(stdout).toMatch(/^expected calibration error [\d.]+$/m);
  });

  it.each([
    ['pooled conversations', ['--pooled'], SET],
    ['one conversation', [], SET.slice(0, 1)],
  ])('%s › are refused', async (_, flags, set) => {
    const { code, stderr } = await evaluated(['--unanswerable', ...flags], set);

    expect(code).not.toBe(0);
    expect(stderr).toContain('--unanswerable needs two conversations in namespaces of their own');
  });
});

describe('tools/eval.sh --features', () => {
  it('writes a row of all features for each candidate of each question, and which rows answer it', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'mneme-eval-test-'));
    onCleanUp(() => rm(folder, { recursive: true, force: true }));
    await writeFile(join(folder, 'set.json'), JSON.stringify(SET));
    const path = join(folder, 'talks');
    const { code, stderr } = await runEval([join(folder, 'set.json'), '--features', path]);
    expect([code, stderr]).toEqual([0, '']);
    const { names, questions } = JSON.parse(await readFile(`${path}.json`, 'utf8')) as {
      names: string[];
      questions: { id: string; rows: number; relevant: number[] }[];
    };
    expect(new Set(names).size).toBe(names.length);
    expect(names).toEqual(names.toSorted());
    expect(questions).toMatchObject([
      { set: 'talks', id: 'q1', conversation: 'Talk 1', category: 'single-hop', evidence: 1, relevant: [0] },
      { set: 'talks', id: 'q2', conversation: 'Talk 1', category: 'multi-hop', evidence: 2 },
      { set: 'talks', id: 'q3', conversation: 'talk-2', category: 'single-hop', evidence: 1, relevant: [0] },
    ]);
    const rows = questions.reduce((sum, question) => sum + question.rows, 0);
    expect((await readFile(`${path}.bin`)).length).toBe(rows * names.length * 4);
  });

  it('a server without a learned order › is reported and nothing is written', async () => {
    const { code, stderr } = await evaluated(['--features', join(tmpdir(), 'mneme-no-features')]);
    expect([code, stderr]).toEqual([1, expect.stringContaining('--ranker learned')]);
  });
});
