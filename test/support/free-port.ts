import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below those that the system gives to whoever asks for any port, and to connections that go out. */
const FIRST = 11_000;
const COUNT = 19_000;
const ATTEMPTS_MAX = 100;

/**
 * A port of 127.0.0.1 that nobody listens on. It stays free for a server that is to come up later, or to come back: no other
 * test and no connection is given it by the system meanwhile.
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
