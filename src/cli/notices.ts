import {
  type Mneme,
  MnemeError,
  type StreamOptions,
  type WriteDegradation,
} from '../../clients/typescript/src/index.ts';
import { messageOf } from './failure.ts';

/**
 * For streams that go on by themselves after a break: says on stderr that they wait, once for each break, and that they go on.
 * A server that was never reached is a failure at once: a person is waiting. `clear` makes room on the terminal.
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

/** Says on stderr that a namespace is not there yet, which a stream that follows it waits for: its name may be a slip. */
export async function reportAwaited(mneme: Mneme): Promise<void> {
  try {
    await mneme.namespaces.get();
  } catch (error) {
    if (!(error instanceof MnemeError && error.reason === 'NAMESPACE_NOT_FOUND')) throw error;
    process.stderr.write(`${error.message}: waiting for its first memory\n`);
  }
}

/** Says on stderr which tiers could not take new memories, and where these are instead. */
export function reportDegraded(degraded: readonly WriteDegradation[] | undefined): void {
  for (const { part, storedIn, reason } of degraded ?? []) {
    process.stderr.write(`mneme: stored in ${storedIn} in place of ${part}: ${reason}\n`);
  }
}
