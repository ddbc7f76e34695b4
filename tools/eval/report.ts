import { paint } from '../../src/cli/terminal.ts';
import type { Comparison } from './compare.ts';
import type { Run } from './run-set.ts';
import {
  type AnswerReport,
  answerReport,
  METRICS,
  type Metric,
  percentile,
  type Ranking,
  rounded,
  scoreRanking,
  scoreTable,
} from './score.ts';

const SHOWN: readonly Metric[] = ['recall@5', 'recall@10', 'recall@25', 'recall@50', 'ndcg@10', 'mrr'];

export interface Report {
  readonly set: string;
  readonly pooled: boolean;
  readonly server: string;
  readonly memoryCount: number;
  /** Memories of the set that could not be stored. */
  readonly skippedCount: number;
  readonly questionCount: number;
  readonly importSeconds: number;
  /** Memories by tier, each returned unchanged; only with small tiers. */
  readonly tiers?: Readonly<Record<string, number>>;
  readonly latencyMs: Readonly<Record<'p50' | 'p90' | 'p99' | 'max', number>>;
  /** Percent, by `all`, `macro` and category. */
  readonly scores: Readonly<Record<string, Readonly<Record<string, number>>>>;
  /** Only where questions were asked of other conversations as well. */
  readonly answers?: AnswerReport;
  /** Only where the run was compared with an earlier one. */
  readonly comparison?: Comparison;
  /** Only where the results of each question were asked for. */
  readonly questions?: readonly QuestionReport[];
}

/** Results of one question. */
export interface QuestionReport {
  readonly id: string;
  readonly category: string;
  /** Memories that hold the answer, and where each came from 1; 0 for those that were not among the hits. */
  readonly evidence: readonly { readonly id: string; readonly rank: number }[];
  /** Percent, by metric. */
  readonly scores: Readonly<Record<string, number>>;
}

export function questionReports(rankings: readonly Ranking[]): QuestionReport[] {
  return rankings.map(({ questionId, category, evidence, ranked }) => {
    const scores = scoreRanking({ evidence, ranked });
    return {
      id: questionId,
      category,
      evidence: evidence.map((id) => ({ id, rank: ranked.indexOf(id) + 1 })),
      scores: Object.fromEntries(METRICS.map((metric) => [metric, rounded(100 * scores[metric])])),
    };
  });
}

/** `threshold` is the minimum relevance at which a hit counts as an answer. */
export function reportOf(
  { rankings, unanswered, latenciesMs, importMs, tiers }: Run,
  {
    threshold,
    ...about
  }: Pick<Report, 'set' | 'pooled' | 'server' | 'memoryCount' | 'skippedCount'> & { readonly threshold: number },
): Report {
  const scores = new Map<string, Record<string, number>>();
  for (const [group, row] of scoreTable(rankings)) {
    const figures = METRICS.map((metric): [string, number] => [metric, rounded(row.scores[metric])]);
    scores.set(group, { count: row.count, ...Object.fromEntries(figures) });
  }
  return {
    ...about,
    questionCount: rankings.length,
    importSeconds: rounded(importMs / 1000),
    ...(tiers.size > 0 && { tiers: Object.fromEntries(tiers) }),
    latencyMs: {
      p50: rounded(percentile(latenciesMs, 0.5)),
      p90: rounded(percentile(latenciesMs, 0.9)),
      p99: rounded(percentile(latenciesMs, 0.99)),
      max: rounded(Math.max(...latenciesMs)),
    },
    scores: Object.fromEntries(scores),
    ...(unanswered.length > 0 && { answers: answerReport(rankings, unanswered, threshold) }),
  };
}

/** The report as a table for people. */
export function reportLines(report: Report): string[] {
  const { scores, latencyMs, memoryCount, skippedCount, questionCount, importSeconds, pooled, tiers } = report;
  const groups = Object.keys(scores);
  const width = Math.max(...groups.map((group) => group.length)) + 2;
  const header = `${''.padEnd(width)}${'n'.padStart(6)}${SHOWN.map((metric) => metric.padStart(11)).join('')}`;
  const rows = groups.map((group) => {
    const row = scores[group] ?? {};
    const count = group === 'macro' ? '' : String(row.count);
    return `${group.padEnd(width)}${count.padStart(6)}${SHOWN.map((metric) => (row[metric] ?? 0).toFixed(2).padStart(11)).join('')}`;
  });
  const where = pooled ? 'in one namespace' : 'in a namespace for each conversation';
  return [
    `${memoryCount} memories ${where}, stored in ${importSeconds.toFixed(1)} s; ${questionCount} questions (figures in %)`,
    ...(skippedCount > 0 ? [`${skippedCount} could not be stored`] : []),
    ...(tiers
      ? [
          `all returned as they were stored: ${Object.entries(tiers)
            .map(([tier, count]) => `${count} ${tier}`)
            .join(', ')}`,
        ]
      : []),
    paint('bold', header),
    ...rows,
    ...(report.questions ? questionLines(report.questions) : []),
    ...(report.comparison ? comparisonLines(report.comparison) : []),
    ...(report.answers ? answerLines(report.answers) : []),
    `latency of a question: p50 ${ms(latencyMs.p50)}, p90 ${ms(latencyMs.p90)}, p99 ${ms(latencyMs.p99)}, most ${ms(latencyMs.max)}`,
  ];
}

const QUESTION_COLUMNS: readonly Metric[] = ['recall@10', 'ndcg@10'];

function questionLines(questions: readonly QuestionReport[]): string[] {
  const width = Math.max(8, ...questions.map(({ id }) => id.length)) + 2;
  const kind = Math.max(8, ...questions.map(({ category }) => category.length)) + 2;
  const columns = QUESTION_COLUMNS.map((metric) => metric.padStart(11)).join('');
  return [
    paint('bold', `${'question'.padEnd(width)}${'category'.padEnd(kind)}${columns}  ranks of the evidence`),
    ...questions.map(({ id, category, scores, evidence }) => {
      const cells = QUESTION_COLUMNS.map((metric) => (scores[metric] ?? 0).toFixed(1).padStart(11)).join('');
      const ranks = evidence.map(({ rank }) => (rank === 0 ? '-' : String(rank))).join(' ');
      return `${id.padEnd(width)}${category.padEnd(kind)}${cells}  ${ranks}`;
    }),
  ];
}

const COMPARED: readonly Metric[] = ['recall@10', 'recall@25', 'ndcg@10'];

function comparisonLines({ against, questionCount, added, missing, differences }: Comparison): string[] {
  const width = Math.max(...Object.keys(differences).map((group) => group.length)) + 2;
  const cell = 32;
  const signed = (value: number) => `${value < 0 ? '' : '+'}${value.toFixed(2)}`;
  return [
    `against ${against}: ${questionCount} questions that both have` +
      (added + missing > 0 ? `, ${added} only here, ${missing} only there` : '') +
      '; difference in points [95 % interval], questions better/worse',
    paint('bold', `${''.padEnd(width)}${COMPARED.map((metric) => metric.padStart(cell)).join('')}`),
    ...Object.entries(differences).map(([group, row]) => {
      const cells = COMPARED.map((metric) => {
        const { difference, low, high, better, worse } = row[metric];
        return `${signed(difference)} [${signed(low)}, ${signed(high)}] ${better}/${worse}`.padStart(cell);
      });
      return `${group.padEnd(width)}${cells.join('')}`;
    }),
  ];
}

function answerLines({ questionsWithout, auroc, threshold, ...report }: AnswerReport): string[] {
  const percent = (share: number) => `${(100 * share).toFixed(1)} %`;
  const { falseSilence, falseAnswers, reliability } = report;
  const bins = reliability.bins.map(({ from, to, count, relevance, answers }) => {
    const cells = [`${from.toFixed(1)} to ${to.toFixed(1)}`, String(count), relevance.toFixed(3), answers.toFixed(3)];
    return cells.map((cell, at) => cell.padStart(at === 0 ? 12 : 11)).join('');
  });
  return [
    `${questionsWithout} questions asked of another conversation: AUROC of the best hit ${auroc.toFixed(3)}; at ` +
      `relevance ${threshold}: false silence ${percent(falseSilence)}, false answers ${percent(falseAnswers)}`,
    paint(
      'bold',
      ['relevance', 'hits', 'mean', 'answers'].map((name, at) => name.padStart(at === 0 ? 12 : 11)).join(''),
    ),
    ...bins,
    `expected calibration error ${reliability.expectedError.toFixed(3)}`,
  ];
}

/** The lines that a scorer reads: one ranking each, best first. */
export function runLines({ rankings }: Run): string {
  return rankings.map(({ questionId, ranked }) => `${JSON.stringify({ question_id: questionId, ranked })}\n`).join('');
}

function ms(value: number): string {
  return `${value.toFixed(1)} ms`;
}
