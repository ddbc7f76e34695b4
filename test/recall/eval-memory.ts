import { randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { connect } from '../../clients/typescript/src/index.ts';
import { startOwnServer } from '../../src/cli/eval/own-server.ts';
import { readQuestionSet } from '../../src/cli/eval/question-set.ts';
import { CommandFailure } from '../../src/cli/failure.ts';
import { contextEvaluation } from './context-eval.ts';
import type { EvaluatedSet, Evaluation } from './support/evaluation.ts';

/**
 * Scores the memory on conversations, on the sets of a folder: `make eval-memory SETS=folder`. With `--gate` only
 * questions that a gate compares are asked, and a missed gate exits with 1.
 */
const EVALUATIONS: readonly Evaluation[] = [contextEvaluation];
const TIMEOUT_MS = 30_000;

async function main(folder: string, flags: ReadonlySet<string>): Promise<number> {
  const server = await startOwnServer();
  const mneme = connect(server.address, { timeoutMs: TIMEOUT_MS, recallTimeoutMs: TIMEOUT_MS });
  const stop = new AbortController();
  process.once('SIGINT', () => stop.abort('interrupted')).once('SIGTERM', () => stop.abort('interrupted'));
  const failures: string[] = [];
  try {
    for (const set of await setsOf(folder)) {
      for (const { name, run } of EVALUATIONS) {
        const runId = `${name}-${randomBytes(4).toString('hex')}`;
        const options = { isGate: flags.has('--gate'), runId, signal: stop.signal };
        const evaluated = await Promise.race([run(mneme, set, options), server.ended]);
        failures.push(...evaluated.failures);
        process.stdout.write(`${evaluated.lines.join('\n')}\n`);
      }
    }
  } finally {
    void mneme.close();
    await server.stop();
  }
  for (const failure of failures) process.stdout.write(`FAIL ${failure}\n`);
  return failures.length > 0 ? 1 : 0;
}

/** The files of the folder that are sets of questions. */
async function setsOf(folder: string): Promise<EvaluatedSet[]> {
  const sets: EvaluatedSet[] = [];
  for (const file of (await readdir(folder)).filter((name) => name.endsWith('.json')).sort()) {
    try {
      const { conversations } = await readQuestionSet(join(folder, file));
      sets.push({ name: basename(file, '.json'), conversations });
    } catch (error) {
      if (!(error instanceof CommandFailure)) throw error;
      process.stderr.write(`left out: ${error.message}\n`);
    }
  }
  if (sets.length === 0) throw new Error(`${folder} has no set of questions`);
  return sets;
}

const [folder = '', ...flags] = process.argv.slice(2);
process.exitCode = await main(folder, new Set(flags));
