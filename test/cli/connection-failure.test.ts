import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { ServerCredentials, type ServerUnaryCall, type sendUnaryData } from '@grpc/grpc-js';
import { afterEach, describe, expect, it } from '@jest/globals';
import { probeAddress } from '../../src/cli/failure.ts';
import { CA_CERTIFICATE, SERVER_CERTIFICATE, SERVER_KEY } from '../client/support/certificates.ts';
import { cleanUp, onCleanUp } from '../client/support/clean-up.ts';
import { startService, unary } from '../client/support/start-service.ts';
import { runMneme } from './support/run-mneme.ts';

afterEach(cleanUp);

const memory = { getMemory: unary(() => ({})) };
const key = { cert_chain: Buffer.from(SERVER_CERTIFICATE), private_key: Buffer.from(SERVER_KEY) };
const tlsOf = (mutual: boolean) => ServerCredentials.createSsl(Buffer.from(CA_CERTIFICATE), [key], mutual);

async function serveGrpc(credentials?: ServerCredentials): Promise<string> {
  const service = await startService({ memory }, 0, credentials);
  onCleanUp(() => service.stop());
  return service.address;
}

async function listening(server: Server): Promise<string> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => sockets.add(socket.on('error', () => {})));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onCleanUp(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('probeAddress', () => {
  it('a server of gRPC, with TLS, of HTTP/1.1, of another protocol › is distinguished', async () => {
    expect(await probeAddress(await serveGrpc())).toBe('grpc');
    expect(await probeAddress(await serveGrpc(tlsOf(false)))).toBe('tls');
    expect(await probeAddress(await serveGrpc(tlsOf(true)))).toBe('tls');
    expect(await probeAddress(await listening(createHttpServer((_, response) => response.end())))).toBe('http');
    expect(await probeAddress(await listening(createServer((socket) => socket.end('SSH-2.0-x\r\n'))))).toBe('other');
    expect(await probeAddress(await listening(createServer()), 50)).toBe('silent');
  });

  it('no listener › is distinguished from an unknown host', async () => {
    expect(await probeAddress('127.0.0.1:1')).toBe('refused');
    expect(await probeAddress('[::ffff:127.0.0.1]:1')).toBe('refused');
    expect(await probeAddress('unix:/nowhere/mneme.sock')).toBe('refused');
  });
});

describe('mneme, where it cannot talk to the server', () => {
  it.each([
    ['plaintext', ['--tls'], 'does not use TLS. Leave out --tls and the flags that begin with --tls-.'],
    ['TLS', [], 'uses TLS. Add --tls, or --tls-ca with the file of its authority.'],
    ['TLS', ['--tls'], 'is not from a known authority. Give the file of its authority with --tls-ca.'],
    ['HTTP/1.1', [], 'is an HTTP/1.1 server, not Mneme. Correct the port in --server.'],
  ])('a server of %s, called with %j › gives advice', async (kind, flags, sentence) => {
    const address =
      kind === 'HTTP/1.1'
        ? await listening(createHttpServer((_, response) => response.end()))
        : await serveGrpc(kind === 'TLS' ? tlsOf(false) : undefined);

    const { code, stdout, stderr } = await runMneme(['get', 'm1', '--server', address, ...flags]);

    expect([code, stdout]).toEqual([4, '']);
    expect(stderr).toMatch(/^mneme: [^\n]*\n$/);
    expect(stderr).toContain(address);
    expect(stderr).toContain(sentence);
  });

  it.each([
    [{}, [], 0, 10],
    [{ MNEME_TIMEOUT: '' }, [], 0, 10],
    [{ MNEME_TIMEOUT: '2h' }, [], 3600, 7200],
    [{ MNEME_TIMEOUT: '1s' }, ['--timeout', '2h'], 3600, 7200],
  ])(
    'variables %j, flags %j › waits for an answer more than %i and at most %i seconds',
    async (env, flags, least, most) => {
      let deadlineMs = 0;
      const getMemory = (call: ServerUnaryCall<unknown, unknown>, answer: sendUnaryData<unknown>) => {
        deadlineMs = Number(call.getDeadline()) - Date.now();
        answer(null, {});
      };
      const service = await startService({ memory: { getMemory } });
      onCleanUp(() => service.stop());

      await runMneme(['get', 'm1', `--server=${service.address}`, ...flags], { env });

      expect(deadlineMs).toBeGreaterThan(least * 1000);
      expect(deadlineMs).toBeLessThanOrEqual(most * 1000);
    },
  );

  it('a timeout in the variable that is no span of time › is refused, and the variable is named', async () => {
    expect(await runMneme(['get', 'm1'], { env: { MNEME_TIMEOUT: 'soon' } })).toEqual({
      code: 2,
      stdout: '',
      stderr:
        "mneme: option '--timeout <span>' value 'soon' from env 'MNEME_TIMEOUT' is invalid. " +
        'Expected a span of time, such as 90s, 15m, 2h or 7d.\n',
    });
  });

  it('with --json › keeps the status', async () => {
    const { stderr } = await runMneme(['get', 'm1', '--server', '127.0.0.1:1', '--json']);

    expect(JSON.parse(stderr)).toMatchObject({
      error: { code: 'UNAVAILABLE', message: expect.stringContaining('no server answers at 127.0.0.1:1') },
    });
  });
});
