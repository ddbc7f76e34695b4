/** A process that makes calls: it gets one job a message, perhaps the word to end it, and answers with what it measured. */
import type { ClientTls } from './client-tls.ts';
import { type Load, type LoadResult, runLoad } from './closed-loop.ts';
import { openGrpcTransport } from './grpc-transport.ts';
import { HttpTransport } from './http-transport.ts';
import { RawTransport } from './raw-transport.ts';
import type { Transport } from './transport.ts';

export interface Job extends Load {
  readonly address: string;
  readonly tls?: ClientTls;
  readonly client: 'raw' | 'grpc-js' | 'http-proto' | 'http-json';
}

/** No call is begun after it. */
export type Stop = 'stop';

export type JobAnswer = { readonly result: LoadResult } | { readonly problem: string };

const transports = new Map<string, Transport>();

let ending = new AbortController();

process.on('message', (message: Job | Stop) => {
  if (message === 'stop') {
    ending.abort();
    return;
  }
  ending = new AbortController();
  void answerTo(message, ending.signal).then((answer) => process.send?.(answer));
});
process.on('disconnect', () => process.exit());

async function answerTo(job: Job, signal: AbortSignal): Promise<JobAnswer> {
  try {
    return { result: await runLoad(await transportOf(job), job, signal) };
  } catch (error) {
    return { problem: String(error) };
  }
}

async function transportOf({ address, tls, client }: Job): Promise<Transport> {
  const key = `${client} ${address}`;
  const known = transports.get(key);
  if (known) return known;
  const transport = await open(client, address, tls);
  transports.set(key, transport);
  return transport;
}

function open(client: Job['client'], address: string, tls: Job['tls']): Transport | Promise<Transport> {
  if (client === 'raw') return RawTransport.open(address, tls);
  if (client === 'grpc-js') return openGrpcTransport(address, tls);
  return new HttpTransport(address, client === 'http-json' ? 'application/json' : 'application/proto');
}
