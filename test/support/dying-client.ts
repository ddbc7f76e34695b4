import { Client } from 'pg';

/** Reads and BEGIN change no row. */
const CHANGES_NOTHING = /^[\s(]*(select|begin)\b/i;

/**
 * Ends this process by SIGKILL at one of these moments, which are counted from 1 over all connections: before a statement that
 * changes rows or commits is sent, and when a COMMIT is answered. At any other moment PostgreSQL keeps the rows that it keeps
 * at one of these.
 */
export function dieAtMoment(at: number): void {
  let moments = 0;
  const die = () => process.kill(process.pid, 'SIGKILL');
  const query = Client.prototype.query as (this: Client, ...args: unknown[]) => unknown;
  function counted(this: Client, ...args: unknown[]): unknown {
    const sql = textOf(args[0]);
    if (!CHANGES_NOTHING.test(sql) && ++moments === at) die();
    const isLast = sql === 'COMMIT' && ++moments === at;
    const answer = query.apply(this, args);
    return isLast && answer instanceof Promise ? answer.finally(die) : answer;
  }
  Client.prototype.query = counted as Client['query'];
}

function textOf(statement: unknown): string {
  if (typeof statement === 'string') return statement;
  if (typeof statement === 'object' && statement && 'text' in statement) return String(statement.text);
  throw new Error('a statement without a text');
}
