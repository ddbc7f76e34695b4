import {
  RecallServiceService,
  SubscribeRecallRequest,
  SubscribeRecallResponse,
} from '../../../gen/ts/mneme/v1/recall_service.ts';
import type { RawTransport } from '../load/raw-transport.ts';

/** Start and end of the name of a write in its event. */
const NAME = Buffer.from('written: ');
const NAME_END = ';'.charCodeAt(0);
/** The gRPC message prefix: a byte of flags and four of length. */
const PREFIX_BYTES = 5;

type Query = NonNullable<Parameters<typeof SubscribeRecallRequest.fromPartial>[0]['query']>;

/** Text of a memory, which is known again by the name. */
export function namedText(name: string): string {
  return `${NAME}${name};`;
}

/**
 * Opens a stream and waits for the initial answer. Of later events only the names are read, and `arrivedMs` records the
 * first arrival of each.
 */
export function subscribed(reader: RawTransport, query: Query, arrivedMs: Map<string, number>): Promise<void> {
  const request = SubscribeRecallRequest.encode(SubscribeRecallRequest.fromPartial({ query })).finish();
  return new Promise((resolve, reject) => {
    let isOpen = false;
    const onBytes = (bytes: Buffer): void => {
      if (isOpen) noteArrival(bytes, arrivedMs);
      else isOpen = messagesIn(bytes).some(({ event }) => event?.$case === 'progress');
      if (isOpen) resolve();
    };
    const onEnd = (): void => reject(new Error('the server has ended a subscription'));
    reader.listen(RecallServiceService.subscribeRecall.path, request, onBytes, onEnd);
  });
}

/** The messages of a frame, none of which is so long that it needs more than one. */
function messagesIn(bytes: Buffer): SubscribeRecallResponse[] {
  const messages: SubscribeRecallResponse[] = [];
  for (let at = 0; at < bytes.length; ) {
    const from = at + PREFIX_BYTES;
    at = from + bytes.readUInt32BE(at + 1);
    messages.push(SubscribeRecallResponse.decode(bytes.subarray(from, at)));
  }
  return messages;
}

function noteArrival(bytes: Buffer, arrivedMs: Map<string, number>): void {
  for (let at = bytes.indexOf(NAME); at >= 0; at = bytes.indexOf(NAME, at + NAME.length)) {
    const name = bytes.toString('latin1', at + NAME.length, bytes.indexOf(NAME_END, at));
    if (!arrivedMs.has(name)) arrivedMs.set(name, performance.now());
  }
}
