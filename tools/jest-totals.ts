import { relative } from 'node:path';
import type { AggregatedResult, Reporter } from '@jest/reporters';

const SLOWEST = 20;

/**
 * Ends a run with the slowest files, where there are more than a few, and with the line that `.ci/run` adds up. A file that
 * could not run counts as one failure.
 */
export default class Totals implements Pick<Reporter, 'onRunComplete'> {
  onRunComplete(_contexts: unknown, result: AggregatedResult): void {
    const failed = result.numFailedTests + result.numRuntimeErrorTestSuites;
    // At exit, because Jest prints its summary after the last reporter.
    process.once('exit', () => {
      if (result.testResults.length > SLOWEST) process.stderr.write(`${slowest(result)}\n`);
      process.stderr.write(`${result.numPassedTests} passed, ${failed} failed\n`);
    });
  }
}

function slowest({ testResults }: AggregatedResult): string {
  const lines = testResults
    .toSorted((a, b) => b.perfStats.runtime - a.perfStats.runtime)
    .slice(0, SLOWEST)
    .map(({ perfStats, testFilePath }) => {
      const seconds = (perfStats.runtime / 1000).toFixed(1).padStart(6);
      return `${seconds} s  ${relative(process.cwd(), testFilePath)}`;
    });
  return [`The ${SLOWEST} slowest files:`, ...lines].join('\n');
}
