import { once } from 'node:events';
import type { ClientDuplexStream } from '@grpc/grpc-js';
import {
  type ImportMemoriesRequest,
  type ImportMemoriesResponse,
  MemoryServiceService,
} from '../../../gen/ts/mneme/v1/memory_service.ts';
import type { Connection } from './connection.ts';
import { UnavailableError } from './errors.ts';
import type { CallOptions } from './options.ts';
import type { SendQueue } from './send-queue.ts';

/** Messages that may be on the way without an acknowledgement: enough to keep the server busy. */
const UNACKNOWLEDGED_MAX = 4;

/**
 * Sends the queue over one stream. Resolves when everything is acknowledged; rejects when the stream breaks or the
 * source of the queue fails. The queue then holds the messages for the next stream.
 */
export async function sendOverOneStream(
  connection: Connection,
  queue: SendQueue<ImportMemoriesRequest>,
  options: CallOptions,
  onAcknowledged: (response: ImportMemoriesResponse) => void,
): Promise<void> {
  const stream = await connection.duplexStream(MemoryServiceService.importMemories, options);
  let isOpen = true;
  let wakeSender = () => {};

  const send = async () => {
    for (const request of [...queue.unacknowledged]) await write(stream, request);
    for (;;) {
      await queue.ready();
      while (isOpen && queue.unacknowledged.length >= UNACKNOWLEDGED_MAX) {
        await new Promise<void>((resolve) => {
          wakeSender = resolve;
        });
      }
      const request = isOpen ? queue.take() : undefined;
      if (request === undefined) break;
      await write(stream, request);
    }
    stream.end();
  };

  const receive = async () => {
    let acknowledgedCount = 0;
    for await (const response of connection.messagesOf(MemoryServiceService.importMemories, stream, options.signal)) {
      queue.unacknowledged.splice(0, response.acknowledgedCount - acknowledgedCount);
      acknowledgedCount = response.acknowledgedCount;
      onAcknowledged(response);
      wakeSender();
    }
    if (!queue.isDone) throw new UnavailableError('UNAVAILABLE', 'the server ended the import before it was complete');
  };

  try {
    const received = receive();
    // A sender may wait for its source for ever: a stream that breaks does not wait for the sender.
    await Promise.race([received, send().then(() => received)]);
  } finally {
    isOpen = false;
    wakeSender();
    stream.cancel();
  }
}

async function write(
  stream: ClientDuplexStream<ImportMemoriesRequest, ImportMemoriesResponse>,
  request: ImportMemoriesRequest,
): Promise<void> {
  if (!stream.write(request)) await once(stream, 'drain');
}
