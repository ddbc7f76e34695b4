import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { z } from 'zod';
import { CommandFailure } from '../../src/cli/failure.ts';
import { METRICS, type Metric, percentile, type Ranking, rounded, scoreRanking } from './score.ts';

/** Rankings of an earlier run by question, as `--out` wrote them. */
export type FormerRun = ReadonlyMap<string, readonly string[]>;

const RANKING = z.object({ question_id: z.string(), ranked: z.array(z.string()) });

export async function readFormerRun(file: string): Promise<FormerRun> {
  const run = new Map<string, readonly string[]>();
  const lines = (await readFile(file, 'utf8')).split('\n');
  for (const [at, line] of lines.entries()) {
    if (line.trim() === '') continue;
    const { question_id: id, ranked } = rankingIn(line, `${basename(file)}:${at + 1}`);
    if (run.has(id)) throw new CommandFailure(`${basename(file)}:${at + 1}: question ${id} occurs twice`);
    run.set(id, ranked);
  }
  return run;
}

function rankingIn(line: string, place: string): z.infer<typeof RANKING> {
  try {
    return RANKING.parse(JSON.parse(line));
  } catch (error) {
    if (!(error instanceof SyntaxError) && !(error instanceof z.ZodError)) throw error;
    throw new CommandFailure(
      `${place}: not a line of a run: {"question_id", "ranked": [memory id]} as --out writes it`,
    );
  }
}

/** Difference of the means of one metric, this run minus the earlier one, in percentage points. */
export interface Difference {
  readonly difference: number;
  /** Bounds of the 95 % confidence interval: percentiles of the bootstrap. */
  readonly low: number;
  readonly high: number;
  /** Questions with a greater, and with a smaller value than before. */
  readonly better: number;
  readonly worse: number;
}

export interface Comparison {
  /** Name of the earlier run's file. */
  readonly against: string;
  /** Questions that both runs have. */
  readonly questionCount: number;
  /** Questions that only this run, and only the earlier one has: they are not compared. */
  readonly added: number;
  readonly missing: number;
  /** By group (`all` and each category) and metric. */
  readonly differences: Readonly<Record<string, Readonly<Record<Metric, Difference>>>>;
}

/** Samples with replacement of which each interval is made: its bounds move by less than 0.1 points between seeds. */
const RESAMPLES = 2000;

/**
 * Compares two runs question by question. The interval is that of the paired bootstrap: whole questions are drawn with
 * replacement, and the mean of their differences is taken for each draw (Efron and Tibshirani, An Introduction to the
 * Bootstrap, 1993, chapter 13).
 */
export function compareRuns(
  rankings: readonly Ranking[],
  former: FormerRun,
  { against, random }: { against: string; random: () => number },
): Comparison {
  const pairs = rankings.flatMap((ranking) => {
    const ranked = former.get(ranking.questionId);
    if (!ranked) return [];
    const scores = { now: scoreRanking(ranking), before: scoreRanking({ evidence: ranking.evidence, ranked }) };
    return [{ category: ranking.category, ...scores }];
  });
  const groups = ['all', ...[...new Set(pairs.map(({ category }) => category))].sort()];
  const differences = groups.map((group) => {
    const some = group === 'all' ? pairs : pairs.filter(({ category }) => category === group);
    const draws = drawsOf(some.length, random);
    const row = METRICS.map((metric): [Metric, Difference] => {
      const values = some.map(({ now, before }) => 100 * (now[metric] - before[metric]));
      return [metric, differenceOf(values, draws)];
    });
    return [group, Object.fromEntries(row) as Record<Metric, Difference>] as const;
  });
  return {
    against,
    questionCount: pairs.length,
    added: rankings.length - pairs.length,
    missing: former.size - pairs.length,
    differences: Object.fromEntries(differences),
  };
}

/** The same draws serve all metrics, whose intervals are then comparable. */
function drawsOf(count: number, random: () => number): Uint32Array[] {
  return Array.from({ length: RESAMPLES }, () =>
    Uint32Array.from({ length: count }, () => Math.floor(random() * count)),
  );
}

function differenceOf(values: readonly number[], draws: readonly Uint32Array[]): Difference {
  const mean = (places: Iterable<number>, count: number): number => {
    let total = 0;
    for (const place of places) total += values[place] ?? 0;
    return count === 0 ? 0 : total / count;
  };
  const means = draws.map((draw) => mean(draw, draw.length));
  return {
    difference: rounded(mean(values.keys(), values.length)),
    low: rounded(percentile(means, 0.025)),
    high: rounded(percentile(means, 0.975)),
    better: values.filter((value) => value > 0).length,
    worse: values.filter((value) => value < 0).length,
  };
}
