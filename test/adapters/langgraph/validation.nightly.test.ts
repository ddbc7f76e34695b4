import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type RunningMneme, startMneme } from '../../cli/support/start-mneme.ts';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

interface Report {
  readonly numTotalTests: number;
  readonly numPassedTests: number;
  readonly testResults: readonly {
    readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[];
  }[];
}

let server: RunningMneme;
let folder = '';
beforeAll(async () => {
  server = await startMneme();
  folder = await mkdtemp(join(tmpdir(), 'mneme-validation-'));
});
afterAll(async () => {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
});

it('MnemeSaver › passes LangGraph’s validation suite and its tests of delta channels, whole', async () => {
  const outputFile = join(folder, 'report.json');
  const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs');
  const flags = ['--globals', '--reporter=json', `--outputFile=${outputFile}`, '--testTimeout=60000'];
  const args = [vitest, 'run', ...flags, '--hookTimeout=60000', 'test/adapters/langgraph/validation.spec.ts'];
  const env = { ...process.env, MNEME_ADDRESS: server.address, NODE_OPTIONS: '' };

  // Vitest ends with 1 when a test fails; the report says which.
  const ended = await run(process.execPath, args, { cwd: ROOT, env }).catch((error: unknown) => error);

  const report = await readFile(outputFile, 'utf8').catch(() => {
    throw new Error('Vitest wrote no report', { cause: ended });
  });
  const { numTotalTests, numPassedTests, testResults } = JSON.parse(report) as Report;
  const unfinished = testResults.flatMap(({ assertionResults }) =>
    assertionResults.filter(({ status }) => status !== 'passed').map(({ fullName }) => fullName),
  );
  expect(unfinished).toEqual([]);
  expect(numPassedTests).toBe(numTotalTests);
  expect(numTotalTests).toBeGreaterThanOrEqual(39);
  console.info(`LangGraph's validation suite: ${numPassedTests} of ${numTotalTests} pass`);
}, 300_000);
