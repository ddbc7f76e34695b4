import type { StreamOptions } from '../../clients/typescript/src/index.ts';
import { messageOf } from './failure.ts';

/**
 * For streams that go on by themselves after a break: says on stderr that they wait, once for each break, and that they go on.
 * A server that was never reached is a failure at once: somebody is waiting. `clear` makes room on the terminal.
 */
export function toldBreaks(clear = () => {}): StreamOptions {
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
