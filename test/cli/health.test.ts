import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Server, ServerCredentials } from '@grpc/grpc-js';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { HealthCheckResponse_ServingStatus, HealthService } from '../../gen/ts/grpc/health/v1/health.ts';
import { SERVER_CERTIFICATE, SERVER_KEY } from '../client/support/certificates.ts';
import { cleanUp, onCleanUp } from '../client/support/clean-up.ts';
import { startTestServer, type TestServer } from '../server/grpc/support/test-server.ts';
import { runMneme } from './support/run-mneme.ts';

const { NOT_SERVING } = HealthCheckResponse_ServingStatus;
type Reply = (error: null, answer: { readonly status: number }) => void;

let server: TestServer;
beforeAll(async () => {
  // Credentials are for calls; a probe has none.
  server = await startTestServer({}, {}, { MNEME_AUTH_TOKENS: 'sesame' });
});
afterAll(() => server.stop());
afterEach(cleanUp);

const health = (...args: readonly string[]) => runMneme(['health', ...args, '--server', server.server.address]);

describe('mneme health', () => {
  it('of a server that serves › ends with 0, without a token', async () => {
    expect(await health()).toEqual({ code: 0, stdout: 'SERVING\n', stderr: '' });
    const { stdout } = await health('--json');
    expect(JSON.parse(stdout)).toEqual({ service: '', status: 'SERVING', degraded: [], notServing: [] });
  });

  it('of one service › takes its name with and without the package', async () => {
    const { stdout } = await health('RecallService', '--json');
    expect(JSON.parse(stdout)).toEqual({ service: 'mneme.v1.RecallService', status: 'SERVING' });
    expect((await health('mneme.v1.MemoryService')).code).toBe(0);
  });

  it('of a service that the server does not have › ends with 3 and its name', async () => {
    const { code, stderr } = await health('Tea');
    expect([code, stderr]).toEqual([3, expect.stringContaining('mneme.v1.Tea')]);
  });

  it('without an address › asks the server that the settings describe, over TLS too', async () => {
    const port = server.server.address.split(':')[1];
    const env = { MNEME_LISTEN: `0.0.0.0:${port}`, MNEME_AUTH_TOKENS: 'sesame', MNEME_ALLOW_INSECURE: 'true' };
    expect(await runMneme(['health'], { env })).toEqual({ code: 0, stdout: 'SERVING\n', stderr: '' });
    const unknown = await runMneme(['health', 'Tea'], { env });
    expect([unknown.code, unknown.stderr]).toEqual([3, 'mneme: the server has no service mneme.v1.Tea\n']);

    const folder = await mkdtemp(join(tmpdir(), 'mneme-health-'));
    onCleanUp(() => rm(folder, { recursive: true, force: true }));
    const files = { MNEME_TLS_CERT: join(folder, 'cert.pem'), MNEME_TLS_KEY: join(folder, 'key.pem') };
    await writeFile(files.MNEME_TLS_CERT, SERVER_CERTIFICATE);
    await writeFile(files.MNEME_TLS_KEY, SERVER_KEY);
    const secure = await startTestServer({}, {}, files);
    onCleanUp(() => secure.stop());
    const tls = await runMneme(['health'], { env: { ...files, MNEME_LISTEN: secure.server.address } });
    expect(tls).toEqual({ code: 0, stdout: 'SERVING\n', stderr: '' });
  });

  it('without an address and without a server › ends with 4 and the address', async () => {
    const { code, stderr } = await runMneme(['health'], { env: { MNEME_LISTEN: '127.0.0.1:1' } });
    expect([code, stderr]).toEqual([4, expect.stringMatching(/^mneme: no server answers at 127\.0\.0\.1:1: /)]);
  });

  it('of a server that does not serve › ends with 4', async () => {
    const draining = new Server();
    draining.addService(HealthService, { check: (_: unknown, reply: Reply) => reply(null, { status: NOT_SERVING }) });
    onCleanUp(() => draining.forceShutdown());
    const port = await new Promise<number>((resolve, reject) => {
      const done = (error: Error | null, bound: number) => (error ? reject(error) : resolve(bound));
      draining.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), done);
    });
    const { code, stdout, stderr } = await runMneme(['health', '--server', `127.0.0.1:${port}`]);
    expect([code, stdout, stderr]).toEqual([4, '', 'mneme: the server answers NOT_SERVING\n']);
  });
});
