import { anomaliesOf } from './anomalies.ts';
import { efficiencyFactors } from './efficiency.ts';
import { featuresOf } from './features.ts';
import { countsOf, type History, type Insight, type OutcomeCounts, type ReflectionOptions } from './findings.ts';
import { type Findings, insightsOf } from './insights.ts';
import { patternsOf } from './patterns.ts';
import { successFactors } from './success-factors.ts';
import { trendsOf } from './trends.ts';

/** Patterns of recorded episodes. */
export interface Reflection extends Findings {
  readonly counts: OutcomeCounts;
  readonly baselineCount: number;
  readonly actionsRecordedCount: number;
  readonly durationRecordedCount: number;
  readonly tokensRecordedCount: number;
  readonly insights: readonly Insight[];
}

/**
 * Computes the patterns of a history. The same history gives the same patterns. It yields after each small piece of work,
 * so that other work can be done in between.
 */
export function* reflectionOf(history: History, options: ReflectionOptions): Generator<void, Reflection> {
  const { records, from } = history;
  const current = records.slice(from);
  const features = yield* featuresOf(records, from, options.supportMin);
  const findings: Findings = {
    patterns: yield* patternsOf(history, features, options),
    successFactors: yield* successFactors(history, features, options),
    efficiencyFactors: yield* efficiencyFactors(history, features, options),
    anomalies: yield* anomaliesOf(history, options),
    trends: yield* trendsOf(history, options),
  };
  return {
    ...findings,
    counts: countsOf(current, [...current.keys()]),
    baselineCount: from,
    actionsRecordedCount: current.filter(({ actions }) => actions.length > 0).length,
    durationRecordedCount: current.filter(({ durationSeconds }) => durationSeconds !== undefined).length,
    tokensRecordedCount: current.filter(({ tokens }) => tokens !== undefined).length,
    insights: insightsOf(history, findings, features, options),
  };
}
