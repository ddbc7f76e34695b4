import { ServerCredentials } from '@grpc/grpc-js';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { UnavailableError } from '../../clients/typescript/src/index.ts';
import { isLoopback } from '../../clients/typescript/src/proxy.ts';
import { type ServedMneme, serveMneme } from '../cli/support/serve-mneme.ts';
import { freePort } from '../support/free-port.ts';
import { CA_CERTIFICATE, SERVER_CERTIFICATE, SERVER_KEY } from './support/certificates.ts';
import { cleanUp, client, onCleanUp } from './support/clean-up.ts';
import { startService, unary } from './support/start-service.ts';

let server: ServedMneme;
beforeAll(async () => {
  server = await serveMneme();
});
afterAll(() => server.stop());
afterEach(cleanUp);

const failure = (call: Promise<unknown>) =>
  call.then(
    () => new Error('nothing failed'),
    (error: unknown) => error as Error,
  );

/** Sets variables of the process until the test has ended. */
function setVariables(variables: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(variables)) {
    const before = process.env[name];
    process.env[name] = value;
    onCleanUp(() => {
      if (before === undefined) delete process.env[name];
      else process.env[name] = before;
    });
  }
}

describe('A3 proxies do not cut off local servers', () => {
  it.each(['http_proxy', 'https_proxy', 'grpc_proxy', 'HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'all_proxy'])(
    '%s › a server of this machine is called without the proxy, also on streams',
    async (variable) => {
      setVariables({ [variable]: 'http://127.0.0.1:9', no_proxy: '', no_grpc_proxy: '' });
      const port = server.address.split(':')[1];
      for (const address of [
        server.address,
        `localhost:${port}`,
        `dns:///localhost:${port}`,
        `ipv4:127.0.0.1:${port}`,
      ]) {
        const mneme = client(address, { namespace: 'a3' });
        await mneme.store({ text: 'over no proxy' });
        for await (const { text } of mneme.exportMemories()) expect(text).toBe('over no proxy');
      }
    },
  );

  it.each([
    ...[
      '127.0.0.1:1',
      '127.8.9.10:1',
      'localhost',
      'LOCALHOST:5',
      'a.localhost:5',
      '[::1]:5',
      '::1',
      '[::]:7',
      '0.0.0.0:7',
    ],
    ...[
      'dns:///127.0.0.1:5',
      'dns:localhost:5',
      'ipv6:[::1]:5',
      'ipv4:127.0.0.1:5,127.0.0.2:5',
      'unix:/tmp/x',
      'unix:///tmp/x',
    ],
    ...['[::ffff:127.0.0.1]:5', '[0:0:0:0:0:0:0:1]:5', 'localhost.:5'],
  ])('%s › is on this machine', (address) => {
    expect(isLoopback(address)).toBe(true);
  });

  it.each([
    '10.0.0.1:5',
    'mneme.test:5',
    '127.example.org:5',
    'localhost.example.org',
    '[::2]:5',
    'ipv4:127.0.0.1:5,10.0.0.1:5',
    'dns:///mneme:5',
  ])('%s › is elsewhere', (address) => {
    expect(isLoopback(address)).toBe(false);
  });

  it.each(['http_proxy', 'https_proxy', 'grpc_proxy'])(
    '%s › a proxy that fails is named, and how to avoid it',
    async (variable) => {
      const proxy = `127.0.0.1:${await freePort()}`;
      setVariables({ [variable]: `http://ada:secret@${proxy}`, no_proxy: '', no_grpc_proxy: '' });
      const mneme = client('mneme.test:50051');

      const error = await failure(mneme.count());

      expect(error).toBeInstanceOf(UnavailableError);
      expect(error.message).toBe(
        `no connection to mneme.test:50051 over the proxy of ${variable}=http://${proxy}; ` +
          'set no_proxy=mneme.test to connect without it',
      );
    },
  );
});

describe('A3 a server that is not there', () => {
  it('calls, lists and streams › fail long before their deadline, with what to do', async () => {
    const address = `127.0.0.1:${await freePort()}`;
    const mneme = client(address);
    const refused = `connection refused at ${address}: is it running? (mneme serve) [connect ECONNREFUSED ${address}]`;

    const startMs = performance.now();
    const errors = await Promise.all([
      failure(mneme.count()),
      failure(mneme.list().next()),
      failure(mneme.exportMemories().next()),
      failure(mneme.watch().next()),
      failure(mneme.session('s').get('k')),
    ]);

    expect(errors.map(({ message }) => message)).toEqual(errors.map(() => refused));
    expect(errors.every((error) => error instanceof UnavailableError)).toBe(true);
    // Half of the time that a call may take.
    expect(performance.now() - startMs).toBeLessThan(5000);
  });

  it('that starts a moment later › is waited for when asked to', async () => {
    const port = await freePort();
    const mneme = client(`127.0.0.1:${port}`, { waitForReady: true, timeoutMs: 60_000 });
    const counting = mneme.count().catch((error: unknown) => error);

    const late = await serveMneme({ flags: ['--listen', `127.0.0.1:${port}`] });
    onCleanUp(() => late.stop());

    expect(await counting).toMatchObject({ count: 0 });
  });

  it('a name that does not exist › is an error of the name', async () => {
    const error = await failure(client('nowhere.invalid:50051').count());

    expect(error.message).toContain('nowhere.invalid:50051');
    expect(error).toBeInstanceOf(UnavailableError);
  });
});

describe('A3 TLS on one side only', () => {
  it('TLS to a plaintext server › says that the server speaks plaintext', async () => {
    const error = await failure(client(server.address, { tls: { ca: CA_CERTIFICATE } }).count());

    expect(error.message).toBe(`no TLS at ${server.address}: the server speaks plaintext, so connect without tls`);
  });

  it('plaintext to a TLS server › says that the server may speak TLS', async () => {
    const keys = [{ cert_chain: Buffer.from(SERVER_CERTIFICATE), private_key: Buffer.from(SERVER_KEY) }];
    const credentials = ServerCredentials.createSsl(Buffer.from(CA_CERTIFICATE), keys, false);
    const service = await startService({ memory: { deleteMemory: unary(() => ({ revision: 5n })) } }, 0, credentials);
    onCleanUp(() => service.stop());

    const error = await failure(client(service.address).delete('m1'));

    expect(error.message).toContain(`no plaintext gRPC at ${service.address}`);
    expect(error.message).toContain('connect with tls');
  });
});
