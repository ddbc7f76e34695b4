import type { ClientDuplexStream } from '@grpc/grpc-js';
import { Client, credentials } from '@grpc/grpc-js';
import {
  type IngestItem,
  IngestMemoriesRequest,
  type IngestMemoriesResponse,
  IngestServiceService,
} from '../../../gen/ts/mneme/v1/ingest_service.ts';
import { ConflictPolicy } from '../../../gen/ts/mneme/v1/memory_service.ts';

export const INGEST_BATCH = 256;
const CHANNEL = { 'grpc-node.flow_control_window': 4_194_304 };

/** Encoded before they are sent: that cost is not the server's, with which the client shares the cores. */
export function ingestBatches(count: number, itemOf: (at: number) => IngestItem): Buffer[] {
  const batches: Buffer[] = [];
  for (let first = 0; first < count; first += INGEST_BATCH) {
    const length = Math.min(INGEST_BATCH, count - first);
    const items = Array.from({ length }, (_, at) => itemOf(first + at));
    const value = { firstSequence: first + 1, items };
    batches.push(Buffer.from(IngestMemoriesRequest.encode({ message: { $case: 'batch', value } }).finish()));
  }
  return batches;
}

/** Sends batches of `count` memories over one stream. Resolves when all are durable; returns when each acknowledgement arrived. */
export async function ingest(
  address: string,
  parent: string,
  streamId: string,
  batches: readonly Buffer[],
  count: number,
): Promise<readonly { readonly atMs: number; readonly stored: number }[]> {
  const client = new Client(address, credentials.createInsecure(), CHANNEL);
  const { path, responseDeserialize } = IngestServiceService.ingestMemories;
  const stream = client.makeBidiStreamRequest(path, (bytes: Buffer) => bytes, responseDeserialize);
  const done = acknowledgements(stream, count);
  await send(stream, [startOf(parent, streamId), ...batches]);
  const acknowledged = await done;
  client.close();
  return acknowledged;
}

function startOf(parent: string, streamId: string): Buffer {
  const conflictPolicy = ConflictPolicy.CONFLICT_POLICY_KEEP;
  const value = { parent, streamId, acknowledgedSequence: 0, conflictPolicy, refusalsOnly: true };
  return Buffer.from(IngestMemoriesRequest.encode({ message: { $case: 'start', value } }).finish());
}

async function send(
  stream: ClientDuplexStream<Buffer, IngestMemoriesResponse>,
  messages: readonly Buffer[],
): Promise<void> {
  for (const message of messages) {
    if (!stream.write(message)) await new Promise((resolve) => stream.once('drain', resolve));
  }
  stream.end();
}

async function acknowledgements(
  stream: ClientDuplexStream<Buffer, IngestMemoriesResponse>,
  last: number,
): Promise<{ atMs: number; stored: number }[]> {
  const acknowledged: { atMs: number; stored: number }[] = [];
  for await (const { message } of stream as AsyncIterable<IngestMemoriesResponse>) {
    if (message?.$case !== 'acknowledgement') continue;
    acknowledged.push({ atMs: performance.now(), stored: message.value.acknowledgedSequence });
    if (message.value.acknowledgedSequence === last) return acknowledged;
  }
  throw new Error('the stream ended before everything was acknowledged');
}
