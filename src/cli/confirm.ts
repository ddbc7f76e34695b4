import { createInterface } from 'node:readline/promises';
import { usage } from './failure.ts';
import { counted } from './terminal.ts';

/** A script erases more than this only with --yes. */
const UNASKED_MAX = 100;

/**
 * Whether to erase so many memories: a terminal is asked, a script confirms with `--yes` above 100. Fails, before
 * anything is erased, where a script has not.
 */
export async function confirmed(count: number, { yes = false }: { readonly yes?: boolean }): Promise<boolean> {
  if (yes || count === 0) return true;
  const memories = counted(count, 'memory', 'memories');
  if (process.stdin.isTTY && process.stderr.isTTY) {
    const lines = createInterface({ input: process.stdin, output: process.stderr });
    try {
      const answer = await lines.question(`Erase ${memories} with their history? [y/N] `);
      return /^y(?:es)?$/i.test(answer.trim());
    } finally {
      lines.close();
    }
  }
  if (count <= UNASKED_MAX) return true;
  throw usage(`nothing was erased: ${memories} match, and above ${UNASKED_MAX} a script confirms with --yes`);
}
