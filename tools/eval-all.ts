import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { connect, type Mneme } from '../clients/typescript/src/index.ts';
import {
  englishCases,
  languageCases,
  lifeCases,
  remarkCases,
  type SmallCase,
  scriptCases,
  statementCases,
  unreadCases,
} from '../test/search/evaluation/support/case-files.ts';
import { runCases } from '../test/search/evaluation/support/run-cases.ts';
import { mulberry32 } from './eval/mulberry32.ts';
import { startOwnServer } from './eval/own-server.ts';
import { readQuestionSet } from './eval/question-set.ts';
import { runSet } from './eval/run-set.ts';
import { percentile, scoreRanking } from './eval/score.ts';

/**
 * One table of all sets by which recall is developed, beside the figures of the last release:
 *
 *   node tools/eval-all.ts [FOLDER] [--write]
 *
 * Cases of `test/search/evaluation` are always asked; sets of questions where FOLDER has them. `--write` makes the figures those
 * of a release, in tools/eval/figures.json.
 */
const folder = process.argv.slice(2).find((one) => !one.startsWith('--')) ?? '';
const isRelease = process.argv.includes('--write');
const FILE = new URL('eval/figures.json', import.meta.url);
const RESAMPLES = 2000;
const SEED = 1;
const HITS = 50;

const figure = z.strictObject({ questions: z.number(), percent: z.number() });
const figures = z.strictObject({ date: z.string(), commit: z.string(), sets: z.record(z.string(), figure) });

/** Cases by the name of their set: the right answer comes first, or nothing where there is none. */
const CASES: Readonly<Record<string, () => SmallCase[]>> = {
  'small memories': englishCases,
  'across languages': languageCases,
  'a life, eight languages': lifeCases,
  remarks: remarkCases,
  'unread languages': unreadCases,
  'scripts and spellings': scriptCases,
  'statements and chains': statementCases,
};

/** Sets of questions, scored by recall@10, and how each is built. */
const QUESTION_SETS: Readonly<Record<string, string>> = {
  'locomo-dev': formOf('snap-research/locomo'),
  realtalk: formOf('danny911kr/REALTALK'),
  beam: formOf('mohammadtavakoli78/BEAM'),
  knowme: formOf('QuantaAlpha/KnowMeBench'),
  'typing-errors': 'node tools/eval/typing-errors.ts FOLDER/locomo-dev.json > FOLDER/typing-errors.json',
};

function formOf(repository: string): string {
  return `every other conversation of a clone of ${repository}, in the form that tools/eval/README.md describes`;
}

interface Row {
  readonly set: string;
  /** Share of each question that was answered, 0 to 1. */
  readonly values: readonly number[];
}

async function rowsOf(mneme: Mneme): Promise<Row[]> {
  const rows: Row[] = [];
  for (const [set, casesOf] of Object.entries(CASES)) {
    const outcomes = await runCases(mneme, casesOf(), set.replaceAll(/\W+/g, '-'));
    for (const half of ['development', 'check'] as const) {
      const values = outcomes.filter(({ one }) => one.half === half).map(({ isRight }) => Number(isRight));
      rows.push({ set: `${set}, ${half}`, values });
    }
  }
  for (const set of Object.keys(QUESTION_SETS)) {
    const file = join(folder, `${set}.json`);
    if (folder === '' || !existsSync(file)) continue;
    const { conversations } = await readQuestionSet(file);
    const { rankings } = await runSet(mneme, conversations, {
      pooled: false,
      smallTiers: false,
      settings: {},
      limit: HITS,
      runId: randomBytes(4).toString('hex'),
      cleanUp: true,
      signal: new AbortController().signal,
      onStored: () => {},
      onAsked: () => {},
      onRefused: (what) => process.stderr.write(`not stored: ${what}\n`),
    });
    rows.push({ set, values: rankings.map((ranking) => scoreRanking(ranking)['recall@10']) });
  }
  return rows;
}

function mean(values: readonly number[]): number {
  return (100 * values.reduce((sum, value) => sum + value, 0)) / values.length;
}

/** Bounds of the 95 % interval: percentiles of the bootstrap over whole questions. */
function intervalOf(values: readonly number[]): readonly [number, number] {
  const random = mulberry32(SEED);
  const draw = () => values.map(() => values[Math.floor(random() * values.length)] ?? 0);
  const means = Array.from({ length: RESAMPLES }, () => mean(draw()));
  return [percentile(means, 0.025), percentile(means, 0.975)];
}

function linesOf(rows: readonly Row[], release: z.infer<typeof figures>): string[] {
  const cells = rows.map(({ set, values }) => {
    const now = mean(values);
    const [low, high] = intervalOf(values);
    const before = release.sets[set]?.percent;
    const change = before === undefined ? '' : signed(Number(now.toFixed(1)) - before);
    const interval = `[${low.toFixed(1)}, ${high.toFixed(1)}]`;
    return [set, String(values.length), now.toFixed(1), interval, before?.toFixed(1) ?? '', change];
  });
  const head = ['set', 'questions', '%', '95 % interval', 'release', 'change'];
  const widths = head.map((_, column) => Math.max(...[head, ...cells].map((row) => row[column]?.length ?? 0)));
  const lineOf = (row: readonly string[]) =>
    row.map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)));
  const known = new Set(rows.map(({ set }) => set));
  const absent = Object.entries(QUESTION_SETS).filter(([set]) => !known.has(set));
  return [
    `release: ${release.date}, commit ${release.commit}`,
    ...[head, ...cells].map((row) => lineOf(row).join('  ').trimEnd()),
    ...absent.map(([set, build]) => `absent: ${set}.json: ${build}`),
  ];
}

function signed(points: number): string {
  const text = points.toFixed(1);
  return points > 0 ? `+${text}` : text.replace('-0.0', '0.0');
}

const release = figures.parse(JSON.parse(readFileSync(FILE, 'utf8')));
const server = await startOwnServer();
const mneme = connect(server.address, { timeoutMs: 30_000, recallTimeoutMs: 30_000 });
try {
  const rows = await rowsOf(mneme);
  process.stdout.write(`${linesOf(rows, release).join('\n')}\n`);
  if (isRelease) {
    const sets = Object.fromEntries(
      rows.map(({ set, values }) => [set, { questions: values.length, percent: Math.round(10 * mean(values)) / 10 }]),
    );
    const commit = execFileSync('git', ['rev-parse', '--short=8', 'HEAD'], { encoding: 'utf8' }).trim();
    const date = new Date().toISOString().slice(0, 10);
    writeFileSync(FILE, `${JSON.stringify({ date, commit, sets: { ...release.sets, ...sets } }, undefined, 2)}\n`);
  }
} finally {
  void mneme.close();
  await server.stop();
}
