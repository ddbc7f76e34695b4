import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { syntheticSet } from '../tools/eval/support/synthetic-set.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const MNEME = `${ROOT}bin/mneme`;
const run = promisify(execFile);

export interface Comparison {
  readonly setFile: string;
  readonly questionCount: number;
  /** Questions whose hits or order differ. */
  readonly differing: readonly string[];
  readonly seconds: { readonly typescript: number; readonly python: number };
}

/**
 * The evaluation `tools/eval.sh` and the one written with the Python client, each on a separate server. `setFile`:
 * with conversations and questions; otherwise a generated set.
 */
export async function compareRankings(setFile: string | undefined, questionsMax: number): Promise<Comparison> {
  const folder = await mkdtemp(join(tmpdir(), 'mneme-polyglot-'));
  try {
    const set = setFile ?? join(folder, 'synthetic-set.json');
    if (setFile === undefined) await writeFile(set, JSON.stringify(syntheticSet()));
    const [ours, theirs] = [join(folder, 'typescript.jsonl'), join(folder, 'python.jsonl')];
    await run(`${ROOT}tools/clients/python.sh`, ['tools']);
    const flags = [set, '--questions', `${questionsMax}`, '--out'];
    const typescript = await secondsOf(`${ROOT}tools/eval.sh`, [...flags, ours]);
    const python = await secondsOf(
      `${ROOT}.toolchain/python-client/bin/python`,
      [`${ROOT}clients/python/examples/eval.py`, ...flags, theirs],
      { MNEME_BIN: MNEME, PYTHONPATH: `${ROOT}clients/python/src` },
    );
    const [expected, found] = [await linesOf(ours), new Set(await linesOf(theirs))];
    const differing = expected.filter((line) => !found.has(line));
    return { setFile: set, questionCount: expected.length, differing, seconds: { typescript, python } };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function secondsOf(file: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const startedAtMs = performance.now();
  await run(file, args, { env: { ...process.env, ...env } });
  return (performance.now() - startedAtMs) / 1000;
}

/** Each has a question and the ids of its hits, best first. */
async function linesOf(file: string): Promise<string[]> {
  return (await readFile(file, 'utf8')).split('\n').filter((line) => line !== '');
}
