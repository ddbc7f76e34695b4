import { paint } from '../terminal.ts';
import { areaUnderCurve } from './answerable.ts';
import type { Run } from './run-set.ts';
import { METRICS, type Metric, percentile, scoreTable } from './score.ts';

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
  /** Memories by tier, each given back as it was stored; only with small tiers. */
  readonly tiers?: Readonly<Record<string, number>>;
  readonly latencyMs: Readonly<Record<'p50' | 'p90' | 'p99' | 'max', number>>;
  /** Percent, by `all`, `macro` and category. */
  readonly scores: Readonly<Record<string, Readonly<Record<string, number>>>>;
  /** Only where questions were asked of other conversations as well. */
  readonly answers?: { readonly questionsWithout: number; readonly auroc: number };
}

export function reportOf(
  { rankings, ownBest, otherBest, latenciesMs, importMs, tiers }: Run,
  about: Pick<Report, 'set' | 'pooled' | 'server' | 'memoryCount' | 'skippedCount'>,
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
    ...(otherBest.length > 0 && { answers: answersOf(ownBest, otherBest) }),
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
          `all given back as they were stored: ${Object.entries(tiers)
            .map(([tier, count]) => `${count} ${tier}`)
            .join(', ')}`,
        ]
      : []),
    paint('bold', header),
    ...rows,
    ...(report.answers
      ? [
          `${report.answers.questionsWithout} questions asked of another conversation: AUROC of the best hit's score ` +
            report.answers.auroc.toFixed(3),
        ]
      : []),
    `latency of a question: p50 ${ms(latencyMs.p50)}, p90 ${ms(latencyMs.p90)}, p99 ${ms(latencyMs.p99)}, most ${ms(latencyMs.max)}`,
  ];
}

function answersOf(ownBest: readonly number[], otherBest: readonly number[]): NonNullable<Report['answers']> {
  const own = ownBest.map((best) => ({ best, hasAnswer: true }));
  const other = otherBest.map((best) => ({ best, hasAnswer: false }));
  return { questionsWithout: otherBest.length, auroc: rounded(areaUnderCurve([...own, ...other])) };
}

/** The lines that a scorer reads: one ranking each, best first. */
export function runLines({ rankings }: Run): string {
  return rankings.map(({ questionId, ranked }) => `${JSON.stringify({ question_id: questionId, ranked })}\n`).join('');
}

function ms(value: number): string {
  return `${value.toFixed(1)} ms`;
}

function rounded(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}
