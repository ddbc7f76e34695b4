import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** Below the ports that systems hand out unasked: nobody is handed one while the server that is to have it starts anew. */
const FIRST = 10_000;
const COUNT = 20_000;
const TRIES_MAX = 100;

export async function freePort(): Promise<number> {
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const port = FIRST + randomInt(COUNT);
    if (await isFree(port)) return port;
  }
  throw new Error(`no free port in ${TRIES_MAX} tries`);
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer().once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}
