import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkHistories } from './check.ts';
import type { Operation } from './history.ts';
import { makeHistories } from './play.ts';

export interface Reported {
  readonly what: string;
  /** One line for each violation. */
  readonly faults: readonly string[];
}

/** Makes and checks histories. Where one is not linearizable, all are kept in a file that is named. */
export async function historiesOf(count: number, seed: string): Promise<Reported> {
  const { operations, wrong: failures, faults } = await makeHistories(count, seed);
  const verdicts = await checkHistories(operations);
  const wrong = verdicts.filter(({ result }) => result !== 'ok').map(({ history, result }) => `${history}: ${result}`);
  wrong.push(...failures);
  const doneCount = operations.filter(({ outcome }) => outcome === 'done').length;
  // Where hardly a call succeeds, every history is linearizable.
  if (doneCount < count) wrong.push(`${doneCount} of ${operations.length} calls succeeded`);
  const broken = [...faults].map(([fault, times]) => `${fault} ${times} times`).join(', ') || 'nothing broken';
  const what = `${verdicts.length} histories are linearizable: ${callsOf(operations)}; ${broken}; seed ${seed}`;
  if (wrong.length === 0 && verdicts.length === count) return { what, faults: [] };
  const file = join(tmpdir(), `mneme-histories-${seed}.jsonl`);
  await writeFile(file, operations.map((operation) => `${JSON.stringify(operation)}\n`).join(''));
  return { what, faults: [...wrong, `${verdicts.length} of ${count} were checked; they are in ${file}`] };
}

function callsOf(operations: readonly Operation[]): string {
  const counted = (outcome: Operation['outcome']) => operations.filter((each) => each.outcome === outcome).length;
  return `${operations.length} calls, ${counted('refused')} refused, ${counted('unknown')} without an answer`;
}
