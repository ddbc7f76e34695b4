import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below the ports that the system assigns automatically, also to outgoing connections. */
const FIRST = 11_000;
const COUNT = 19_000;
const ATTEMPTS_MAX = 100;

/**
 * A port of 127.0.0.1 without a listener. It stays free for a server that starts later, or restarts: the system assigns
 * it to no other test and no connection.
 */
export async function freePort(): Promise<number> {
  for (let attempt = 1; ; attempt++) {
    const port = FIRST + Math.floor(Math.random() * COUNT);
    const server = createServer().listen(port, '127.0.0.1');
    try {
      await once(server, 'listening');
    } catch (error) {
      if (attempt === ATTEMPTS_MAX) throw error;
      continue;
    }
    server.close();
    await once(server, 'close');
    return port;
  }
}
