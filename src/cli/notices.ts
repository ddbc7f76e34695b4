import { type Mneme, MnemeError, type StreamOptions } from '../../clients/typescript/src/index.ts';
import { messageOf } from './failure.ts';

/**
 * For streams that resume after an interruption: reports on stderr that they wait, once for each interruption, and that
 * they continue. A server that was never reached is an immediate failure, as a user is waiting. `clear` clears the line
 * on the terminal.
 */
export function reportBreaks(clear = () => {}): StreamOptions {
  let state: 'new' | 'open' | 'broken' = 'new';
  return {
    onOpen: () => {
      clear();
      if (state === 'broken') process.stderr.write('mneme: the server answers again\n');
      state = 'open';
    },
    onBroken: (error) => {
      if (state === 'new') throw error;
      clear();
      const why = messageOf(error).replace(/\.$/, '');
      if (state === 'open') process.stderr.write(`mneme: ${why}. Trying until the server answers (Ctrl-C ends).\n`);
      state = 'broken';
    },
  };
}

/** Reports on stderr that a stream waits for a missing namespace: its name may be misspelt. */
export async function reportAwaited(mneme: Mneme): Promise<void> {
  try {
    await mneme.namespaces.get();
  } catch (error) {
    if (!(error instanceof MnemeError && error.reason === 'NAMESPACE_NOT_FOUND')) throw error;
    process.stderr.write(`${error.message}: waiting for its first memory\n`);
  }
}
