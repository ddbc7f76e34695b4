import { createHash, timingSafeEqual } from 'node:crypto';
import { type Metadata, ServerCredentials } from '@grpc/grpc-js';
import { MnemeError } from '../../memory/errors.ts';

/** Contents of PEM files. */
export interface TlsFiles {
  readonly cert: Buffer;
  readonly key: Buffer;
  /** When set, clients must present a certificate signed by these authorities. */
  readonly clientCa?: Buffer;
}

export function serverCredentials(tls: TlsFiles | undefined): ServerCredentials {
  if (!tls) return ServerCredentials.createInsecure();
  const pairs = [{ cert_chain: tls.cert, private_key: tls.key }];
  return ServerCredentials.createSsl(tls.clientCa ?? null, pairs, tls.clientCa !== undefined);
}

const digestOf = (token: string): Buffer => createHash('sha256').update(token).digest();

/** Admits callers whose `authorization` is `Bearer` and one of the tokens, in a time that does not depend on the tokens. */
export function bearerTokens(tokens: readonly string[]): (metadata: Metadata) => void {
  const known = tokens.map(digestOf);
  return (metadata) => {
    const provided = /^Bearer (.+)$/i.exec(String(metadata.get('authorization')[0] ?? ''))?.[1];
    if (provided !== undefined) {
      const digest = digestOf(provided);
      // No early exit: every token is compared.
      if (known.filter((token) => timingSafeEqual(token, digest)).length > 0) return;
    }
    const problem =
      provided === undefined ? 'the call brings no bearer token' : 'the bearer token is not one of this server';
    throw new MnemeError('CREDENTIALS_INVALID', problem);
  };
}
