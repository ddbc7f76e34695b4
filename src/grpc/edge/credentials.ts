import { createHash, timingSafeEqual } from 'node:crypto';
import { type Metadata, ServerCredentials } from '@grpc/grpc-js';
import { MnemeError } from '../../memory/errors.ts';
import type { Credentials } from './edge.ts';

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

/**
 * Admits callers whose `authorization` is `Bearer` and one of the tokens, in a time that does not depend on the tokens.
 */
export class BearerTokens implements Credentials {
  private known: readonly Buffer[];

  constructor(tokens: readonly string[]) {
    this.known = tokens.map(digestOf);
  }

  /** From now on these tokens are admitted, and no others. */
  replace(tokens: readonly string[]): void {
    this.known = tokens.map(digestOf);
  }

  check(metadata: Metadata): void {
    const token = tokenOf(metadata);
    if (token !== undefined) {
      const digest = digestOf(token);
      // No early exit: every token is compared.
      if (this.known.filter((each) => timingSafeEqual(each, digest)).length > 0) return;
    }
    const problem =
      token === undefined ? 'the call brings no bearer token' : 'the bearer token is not one of this server';
    throw new MnemeError('CREDENTIALS_INVALID', problem);
  }

  callerOf(metadata: Metadata): string {
    return callerWith(tokenOf(metadata) ?? '');
  }
}

/** Identifies the caller with a token. */
export function callerWith(token: string): string {
  return digestOf(token).toString('hex');
}

function tokenOf(metadata: Metadata): string | undefined {
  return /^Bearer (.+)$/i.exec(String(metadata.get('authorization')[0] ?? ''))?.[1];
}
