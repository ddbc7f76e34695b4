import { ServerCredentials } from '@grpc/grpc-js';

/** Contents of PEM files. */
export interface TlsFiles {
  readonly cert: Buffer;
  readonly key: Buffer;
  /** When set, clients must present a certificate signed by these authorities. */
  readonly clientCa?: Buffer;
}

/** Credentials of a listener whose certificates can be replaced while it listens; connections that are open keep theirs. */
export class TlsCredentials extends ServerCredentials {
  constructor(tls: TlsFiles) {
    super({ requestCert: tls.clientCa !== undefined }, contextOf(tls));
  }

  /** Whether clients must present a certificate stays as it was. */
  replace(tls: TlsFiles): void {
    this.updateSecureContextOptions(contextOf(tls));
  }

  override _equals(other: ServerCredentials): boolean {
    return this === other;
  }
}

/** Credentials of a listener without TLS. */
export function plainCredentials(): ServerCredentials {
  return ServerCredentials.createInsecure();
}

function contextOf({ cert, key, clientCa }: TlsFiles) {
  return { cert, key, ...(clientCa && { ca: clientCa }) };
}
