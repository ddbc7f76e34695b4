import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import type { AggregatedResult, Reporter, TestResult } from '@jest/reporters';

const SLOWEST = 40;

/**
 * Ends a run with the files that took the most CPU, where there are more than a few, with the names of failed tests, and with
 * the line that `.ci/run` adds up. A file that could not run counts as one failure.
 */
export default class Totals implements Pick<Reporter, 'onRunComplete'> {
  /** `jest-environment.ts` writes the CPU of each file into a file of its process. */
  readonly #times = mkdtempSync(join(tmpdir(), 'mneme-test-times-'));

  constructor() {
    // Processes of tests are started later, and take it over.
    process.env['MNEME_TEST_TIMES'] = this.#times;
  }

  onRunComplete(_contexts: unknown, result: AggregatedResult): void {
    const failed = result.numFailedTests + result.numRuntimeErrorTestSuites;
    const lines = [
      ...(result.testResults.length > SLOWEST ? slowest(result.testResults, this.#cpuByFile()) : []),
      ...result.testResults.flatMap(failures),
      `${result.numPassedTests} passed, ${failed} failed`,
    ];
    rmSync(this.#times, { recursive: true });
    // At exit, because Jest prints its summary after the last reporter.
    process.once('exit', () => process.stderr.write(`${lines.join('\n')}\n`));
  }

  #cpuByFile(): Map<string, number> {
    const lines = readdirSync(this.#times).flatMap((name) =>
      readFileSync(join(this.#times, name), 'utf8').trimEnd().split('\n'),
    );
    return new Map(
      lines.map((line) => {
        const [seconds = '', ...path] = line.split(' ');
        return [path.join(' '), Number(seconds)];
      }),
    );
  }
}

function slowest(results: readonly TestResult[], cpuByFile: ReadonlyMap<string, number>): string[] {
  const cpuOf = ({ testFilePath }: TestResult) => cpuByFile.get(testFilePath) ?? 0;
  const cpu = results.reduce((sum, result) => sum + cpuOf(result), 0);
  const columns = (...seconds: number[]) => seconds.map((each) => each.toFixed(1).padStart(8)).join('');
  const lines = results
    .toSorted((a, b) => cpuOf(b) - cpuOf(a) || b.perfStats.runtime - a.perfStats.runtime)
    .slice(0, SLOWEST)
    .map((each) => `${columns(cpuOf(each), each.perfStats.runtime / 1000)}  ${pathOf(each)}`);
  return [
    `The ${SLOWEST} slowest files, in seconds:`,
    '     CPU    wall',
    ...lines,
    `${columns(cpu)}          all files`,
  ];
}

/** In the form of all suites: `failed: SUITE: NAME`. */
function failures(result: TestResult): string[] {
  if (result.testExecError) return [`failed: ${pathOf(result)}: does not run`];
  return result.testResults
    .filter(({ status }) => status === 'failed')
    .map(({ ancestorTitles, title }) => `failed: ${pathOf(result)}: ${[...ancestorTitles, title].join(' › ')}`);
}

function pathOf({ testFilePath }: TestResult): string {
  return relative(process.cwd(), testFilePath);
}
