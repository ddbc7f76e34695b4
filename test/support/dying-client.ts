import { Client } from 'pg';

/** Reads and BEGIN change no row. */
const CHANGES_NOTHING = /^[\s(]*(select|begin)\b/i;

/**
 * Ends this process by SIGKILL at one of these moments, which are counted from 1 over all connections: before a statement that
 * changes rows or commits is sent, with answers to all earlier ones of its connection, and when a COMMIT is answered. At any
 * other moment PostgreSQL keeps the rows that it keeps at one of these.
 */
export function dieAtMoment(at: number): void {
  let moments = 0;
  let isDying = false;
  const answers = new WeakMap<Client, Promise<unknown>>();
  const die = () => process.kill(process.pid, 'SIGKILL');
  const query = Client.prototype.query as (this: Client, ...args: unknown[]) => unknown;
  function counted(this: Client, ...args: unknown[]): unknown {
    const sql = textOf(args[0]);
    const earlier = answers.get(this);
    if (!isDying && !CHANGES_NOTHING.test(sql) && ++moments === at) {
      isDying = true;
      // What is sent before, without waiting for answers, may still be in a buffer of this process.
      void Promise.allSettled([earlier]).then(die);
    }
    if (isDying) return new Promise(() => undefined);
    const isLast = sql === 'COMMIT' && ++moments === at;
    const answer = query.apply(this, args);
    answers.set(this, Promise.allSettled([earlier, answer]));
    return isLast && answer instanceof Promise ? answer.finally(die) : answer;
  }
  Client.prototype.query = counted as Client['query'];
}

function textOf(statement: unknown): string {
  if (typeof statement === 'string') return statement;
  if (typeof statement === 'object' && statement && 'text' in statement) return String(statement.text);
  throw new Error('a statement without a text');
}
