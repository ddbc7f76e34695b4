import { type ChannelCredentials, credentials } from '@grpc/grpc-js';

/** What a client needs to call a server with TLS: PEM texts. */
export interface ClientTls {
  readonly ca: Buffer;
  /** Certificate and key of the client, for a server that asks for them. */
  readonly own?: { readonly cert: Buffer; readonly key: Buffer };
}

export function channelCredentials(tls: ClientTls | undefined): ChannelCredentials {
  if (!tls) return credentials.createInsecure();
  return credentials.createSsl(tls.ca, tls.own?.key ?? null, tls.own?.cert ?? null);
}
