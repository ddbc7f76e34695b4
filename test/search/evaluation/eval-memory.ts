import { randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { connect, type Mneme } from '../../../clients/typescript/src/index.ts';
import { CommandFailure } from '../../../src/cli/failure.ts';
import { startOwnServer } from '../../../tools/eval/own-server.ts';
import { readQuestionSet } from '../../../tools/eval/question-set.ts';
import { jenverse } from '../../server/extraction/score-jenverse.ts';
import { memoryCode } from '../../server/extraction/score-memorycode.ts';
import { contextEvaluation } from './context-eval.ts';
import { derivedEvaluation } from './derived-eval.ts';
import { beam } from './score-beam.ts';
import type { EvaluatedSet, Evaluation } from './support/evaluation.ts';
import type { Half, Labelled } from './support/labelled.ts';
import { type Measure, tableOf } from './support/measure.ts';

/**
 * Scores the memory on conversations: `make eval-memory SETS=folder`. The folder has sets of questions
 * (`tools/eval/README.md`) and clones of Jenverse/Memory-Benchmark-1, for-ai/MemoryCode and mohammadtavakoli78/BEAM.
 *
 * - `--gate`: asks only questions that a gate compares; a missed gate exits with 1.
 * - `--odd`, `--all`: scores the other half of the clones, or both; default: items with an even index.
 * - `--context`, `--derived`: only this evaluation of the sets of questions, and no clones.
 * - `--quick`: leaves out the long conversations of BEAM.
 * - `--show`: prints what was missed.
 */
const EVALUATIONS: readonly Evaluation[] = [contextEvaluation, derivedEvaluation];
const LABELLED: readonly Labelled[] = [jenverse, memoryCode, beam];
const TIMEOUT_MS = 30_000;

interface Report {
  readonly failures: string[];
  readonly rows: (Measure & { readonly set: string })[];
}

interface Scoring {
  readonly mneme: Mneme;
  readonly ended: Promise<never>;
  readonly flags: ReadonlySet<string>;
  readonly signal: AbortSignal;
  readonly report: Report;
}

async function main(folder: string, flags: ReadonlySet<string>): Promise<number> {
  const server = await startOwnServer();
  const mneme = connect(server.address, { timeoutMs: TIMEOUT_MS, recallTimeoutMs: TIMEOUT_MS });
  const stop = new AbortController();
  process.once('SIGINT', () => stop.abort('interrupted')).once('SIGTERM', () => stop.abort('interrupted'));
  const report: Report = { failures: [], rows: [] };
  try {
    const { ended } = server;
    const scoring = { mneme, ended, flags, signal: stop.signal, report };
    const sets = await setsOf(folder);
    const clones = flags.has('--gate') || onlyOf(flags).length > 0 ? [] : await clonesOf(folder);
    if (sets.length + clones.length === 0) throw new Error(`${folder} has no set of questions and no clone of a set`);
    for (const set of sets) await scoreSet(set, scoring);
    for (const clone of clones) await scoreClone(clone, scoring);
  } finally {
    void mneme.close();
    await server.stop();
  }
  process.stdout.write(`\n${tableOf(report.rows).join('\n')}\n`);
  for (const failure of report.failures) process.stdout.write(`FAIL ${failure}\n`);
  return report.failures.length > 0 ? 1 : 0;
}

async function scoreSet(set: EvaluatedSet, { mneme, ended, flags, signal, report }: Scoring): Promise<void> {
  const isGate = flags.has('--gate');
  const only = onlyOf(flags);
  for (const { name, hasGate, run } of EVALUATIONS) {
    if ((isGate && !hasGate) || (only.length > 0 && !only.includes(name))) continue;
    const options = { isGate, runId: runIdOf(name), signal };
    const { lines, measures, failures } = await Promise.race([run(mneme, set, options), ended]);
    report.failures.push(...failures);
    const rows = measures.map((measure) => ({ set: set.name, ...measure }));
    report.rows.push(...rows);
    process.stdout.write(`${[...lines, ...tableOf(rows)].join('\n')}\n`);
  }
}

interface Clone {
  readonly folder: string;
  readonly labelled: Labelled;
}

async function scoreClone({ folder, labelled }: Clone, scoring: Scoring): Promise<void> {
  const { mneme, ended, flags, signal, report } = scoring;
  const half: Half = flags.has('--all') ? 'all' : flags.has('--odd') ? 'odd' : 'even';
  const onShown = (line: string) => void (flags.has('--show') && process.stdout.write(`${line}\n`));
  const options = { half, isQuick: flags.has('--quick'), mneme, runId: runIdOf('labelled'), signal, onShown };
  const measures = await Promise.race([labelled.measure(folder, options), ended]);
  const rows = measures.map((measure) => ({ set: `${labelled.name} (${half})`, ...measure }));
  report.rows.push(...rows);
  process.stdout.write(`${tableOf(rows).join('\n')}\n`);
}

/** Names of the evaluations to run; empty: all. */
function onlyOf(flags: ReadonlySet<string>): string[] {
  return EVALUATIONS.map(({ name }) => name).filter((name) => flags.has(`--${name}`));
}

function runIdOf(name: string): string {
  return `${name}-${randomBytes(4).toString('hex')}`;
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
  return sets;
}

async function clonesOf(folder: string): Promise<Clone[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const folders = entries.filter((entry) => !entry.isFile()).map(({ name }) => join(folder, name));
  return folders
    .sort()
    .flatMap((one) => LABELLED.flatMap((labelled) => (labelled.isAt(one) ? [{ folder: one, labelled }] : [])));
}

const [folder = '', ...flags] = process.argv.slice(2);
process.exitCode = await main(folder, new Set(flags));
