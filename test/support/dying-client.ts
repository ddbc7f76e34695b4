import { Client } from 'pg';

/** Ends this process by SIGKILL at the statement of a number, from 1, that any connection to PostgreSQL sends from now on. */
export function dieAtStatement(at: number, moment: 'sending' | 'answered'): void {
  let sent = 0;
  const query = Client.prototype.query as (this: Client, ...args: unknown[]) => unknown;
  function counted(this: Client, ...args: unknown[]): unknown {
    const isLast = ++sent === at;
    if (isLast && moment === 'sending') process.kill(process.pid, 'SIGKILL');
    const answer = query.apply(this, args);
    if (!isLast || !(answer instanceof Promise)) return answer;
    return answer.finally(() => process.kill(process.pid, 'SIGKILL'));
  }
  Client.prototype.query = counted as Client['query'];
}
