import { once } from 'node:events';
import { createServer, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2';
import { afterEach, expect, it } from '@jest/globals';
import { cleanUp, client, onCleanUp } from './support/clean-up.ts';

afterEach(cleanUp);

const WINDOW_BYTES = 4_194_304;

it('client › connects › grants the server 4 MiB for the connection and for each stream', async () => {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onCleanUp(() => server.close());
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server listens on no port');
  const connected = once(server, 'session') as Promise<[ServerHttp2Session]>;
  const asked = once(server, 'stream') as Promise<[ServerHttp2Stream]>;
  const mneme = client(`127.0.0.1:${address.port}`, { retry: false });
  const answer = mneme.get('a').catch((error: unknown) => error);
  const [[session], [stream]] = await Promise.all([connected, asked]);
  onCleanUp(() => session.destroy());
  // The window of the connection is granted in a separate frame; a ping returns after it.
  await new Promise((resolve) => session.ping(resolve));

  expect(session.remoteSettings).toMatchObject({ initialWindowSize: WINDOW_BYTES });
  expect(session.state.remoteWindowSize).toBe(WINDOW_BYTES);
  stream.respond({ ':status': 200, 'content-type': 'application/grpc', 'grpc-status': '5' }, { endStream: true });
  await answer;
});
