import type { AggregatedResult, Reporter } from '@jest/reporters';

/** Ends a run with the line that `.ci/run` adds up. A file that could not run counts as one failure. */
export default class Totals implements Pick<Reporter, 'onRunComplete'> {
  onRunComplete(_contexts: unknown, result: AggregatedResult): void {
    const failed = result.numFailedTests + result.numRuntimeErrorTestSuites;
    // At exit, because Jest prints its summary after the last reporter.
    process.once('exit', () => process.stderr.write(`${result.numPassedTests} passed, ${failed} failed\n`));
  }
}
