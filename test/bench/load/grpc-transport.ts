import { Client, Metadata } from '@grpc/grpc-js';
import { type ClientTls, channelCredentials } from './client-tls.ts';
import type { Transport } from './transport.ts';

const DEADLINE_MS = 20_000;
const raw = (bytes: Buffer): Buffer => bytes;

/** The client of grpc-js: a caller on Node, more expensive than the server that it calls. */
export function openGrpcTransport(address: string, tls?: ClientTls): Transport {
  const client = new Client(address, channelCredentials(tls));
  const metadata = new Metadata();
  return {
    call(path, message, onEnd) {
      const bytes = Buffer.from(message.buffer, message.byteOffset, message.byteLength);
      const options = { deadline: Date.now() + DEADLINE_MS };
      client.makeUnaryRequest(path, raw, raw, bytes, metadata, options, (error) => onEnd(error === null));
    },
    close: () => client.close(),
  };
}
