import { fileURLToPath } from 'node:url';
import { type Finished, type RunOptions, runMneme } from '../../../cli/support/run-mneme.ts';

export const EVAL = fileURLToPath(new URL('../../../../tools/eval.sh', import.meta.url));

/** Runs the evaluation as a shell would and waits for its end. */
export function runEval(args: readonly string[], options: RunOptions = {}): Promise<Finished> {
  return runMneme(args, { ...options, program: EVAL });
}
