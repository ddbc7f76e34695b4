import {
  RecallServiceService,
  SubscribeRecallRequest,
  SubscribeRecallResponse,
} from '../../../gen/ts/mneme/v1/recall_service.ts';
import { MessageReader } from '../load/message-reader.ts';
import type { RawTransport } from '../load/raw-transport.ts';

/** Start and end of the name of a write in its event. */
const NAME = Buffer.from('written: ');
const NAME_END = ';'.charCodeAt(0);

export type Query = NonNullable<Parameters<typeof SubscribeRecallRequest.fromPartial>[0]['query']>;

/** Text of a memory, which is known again by the name. */
export function namedText(name: string): string {
  return `${NAME}${name};`;
}

/** The name in a text of `namedText`; undefined where it has none. */
export function nameIn(text: string): string | undefined {
  return /^written: (.+);$/.exec(text)?.[1];
}

/**
 * Opens a stream and waits for the initial answer. Of later events only the names are read, and `arrivedMs` records the
 * first arrival of each.
 */
export function subscribed(reader: RawTransport, query: Query, arrivedMs: Map<string, number>): Promise<void> {
  const request = SubscribeRecallRequest.encode(SubscribeRecallRequest.fromPartial({ query })).finish();
  return new Promise((resolve, reject) => {
    let isOpen = false;
    const opening = new MessageReader((message) => {
      isOpen ||= SubscribeRecallResponse.decode(message).event?.$case === 'progress';
    });
    const onBytes = (bytes: Buffer): void => {
      if (isOpen) noteArrival(bytes, arrivedMs);
      else opening.read(bytes);
      if (isOpen) resolve();
    };
    const onEnd = (): void => reject(new Error('the server has ended a subscription'));
    reader.listen(RecallServiceService.subscribeRecall.path, request, onBytes, onEnd);
  });
}

function noteArrival(bytes: Buffer, arrivedMs: Map<string, number>): void {
  for (let at = bytes.indexOf(NAME); at >= 0; at = bytes.indexOf(NAME, at + NAME.length)) {
    const name = bytes.toString('latin1', at + NAME.length, bytes.indexOf(NAME_END, at));
    if (!arrivedMs.has(name)) arrivedMs.set(name, performance.now());
  }
}
