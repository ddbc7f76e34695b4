import { ServerCredentials } from '@grpc/grpc-js';
import { afterEach, describe, expect, it } from '@jest/globals';
import { type TlsOptions, UnavailableError } from '../../clients/typescript/src/index.ts';
import {
  CA_CERTIFICATE,
  CLIENT_CERTIFICATE,
  CLIENT_KEY,
  SERVER_CERTIFICATE,
  SERVER_KEY,
} from './support/certificates.ts';
import { cleanUp, client, onCleanUp } from './support/clean-up.ts';
import { startService, unary } from './support/start-service.ts';

afterEach(cleanUp);

/** A client of a server with TLS, which wants a certificate of its clients when `mutual`. */
async function connected(tls: boolean | TlsOptions, { mutual = false } = {}) {
  const keys = [{ cert_chain: Buffer.from(SERVER_CERTIFICATE), private_key: Buffer.from(SERVER_KEY) }];
  const credentials = ServerCredentials.createSsl(Buffer.from(CA_CERTIFICATE), keys, mutual);
  const deletion = unary(() => ({ revision: 5n }));
  const service = await startService({ memory: { deleteMemory: deletion } }, 0, credentials);
  onCleanUp(() => service.stop());
  return client(service.address, { tls, waitForReady: false, retry: false });
}

const TRUSTING = { ca: CA_CERTIFICATE, serverName: 'server.mneme.test' };

describe('client › TLS', () => {
  it('with the authority and the name of the server › calls it', async () => {
    const mneme = await connected(TRUSTING);

    await expect(mneme.delete('m1')).resolves.toEqual({ revision: 5 });
  });

  it('with a certificate, where the server wants one › calls it', async () => {
    const mneme = await connected({ ...TRUSTING, cert: CLIENT_CERTIFICATE, key: CLIENT_KEY }, { mutual: true });

    await expect(mneme.delete('m1')).resolves.toEqual({ revision: 5 });
  });

  it.each([
    ['another name', { ca: CA_CERTIFICATE, serverName: 'elsewhere.test' }, false],
    ['an authority that nobody knows', { serverName: 'server.mneme.test' }, false],
    ['no certificate where the server wants one', TRUSTING, true],
    ['no TLS', false, false],
  ])('with %s › fails with UnavailableError', async (_, tls, mutual) => {
    const mneme = await connected(tls, { mutual });

    await expect(mneme.delete('m1')).rejects.toBeInstanceOf(UnavailableError);
  });
});
