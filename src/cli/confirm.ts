import { createInterface } from 'node:readline/promises';
import { usage } from './failure.ts';
import { counted } from './terminal.ts';

/** A script erases more than this only with --yes. */
const UNASKED_MAX = 100;

/** A flag of every command that erases more than it names. */
export const YES = 'erase without a question, and more than 100 from a script';

/**
 * Asks a terminal whether to erase `count` memories, or things named by `noun` and `plural`. A script confirms counts above
 * 100 with `--yes`; without it the command fails before anything is erased.
 */
export async function confirmed(
  count: number,
  { yes = false }: { readonly yes?: boolean },
  [noun, plural]: readonly [string, string] = ['memory', 'memories'],
): Promise<boolean> {
  if (yes || count === 0) return true;
  const found = counted(count, noun, plural);
  if (process.stdin.isTTY && process.stderr.isTTY) {
    const lines = createInterface({ input: process.stdin, output: process.stderr });
    try {
      const answer = await lines.question(`Erase ${found} with their history? [y/N] `);
      return /^y(?:es)?$/i.test(answer.trim());
    } finally {
      lines.close();
    }
  }
  if (count <= UNASKED_MAX) return true;
  throw usage(`nothing was erased: ${found} match, and above ${UNASKED_MAX} a script confirms with --yes`);
}
