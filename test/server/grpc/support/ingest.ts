import { once } from 'node:events';
import { type ClientDuplexStream, Metadata } from '@grpc/grpc-js';
import {
  type IngestAcknowledgement,
  type IngestItem,
  type IngestMemoriesRequest,
  type IngestMemoriesResponse,
  IngestMemoriesRequest as RequestCodec,
  type IngestStart as StartCodec,
} from '../../../../gen/ts/mneme/v1/ingest_service.ts';
import type { IngestServiceClient } from '../../../support/service-clients.ts';

type StartInput = Parameters<typeof StartCodec.fromPartial>[0];
export type ItemInput = { readonly text: string; readonly id?: string };

/** An ingest to which a test sends its own messages. */
export class TestIngest {
  readonly stream: ClientDuplexStream<IngestMemoriesRequest, IngestMemoriesResponse>;
  readonly messages: IngestMemoriesResponse[] = [];
  /** `undefined` when it ended with OK. */
  readonly ended: Promise<Error | undefined>;

  constructor(ingests: IngestServiceClient, start: StartInput, headers = new Metadata()) {
    this.stream = ingests.ingestMemories(headers);
    this.stream.on('data', (message: IngestMemoriesResponse) => this.messages.push(message));
    this.ended = new Promise((resolve) => {
      this.stream.on('error', resolve).on('end', () => resolve(undefined));
    });
    this.send({ $case: 'start', value: start });
  }

  send(message: Parameters<typeof RequestCodec.fromPartial>[0]['message']): void {
    this.stream.write(RequestCodec.fromPartial({ message }));
  }

  batch(firstSequence: number, items: readonly (ItemInput | Partial<IngestItem>)[]): void {
    const messages = items.map((item) =>
      'text' in item ? { memory: { text: item.text }, memoryId: item.id ?? '' } : item,
    );
    this.send({ $case: 'batch', value: { firstSequence, items: messages } } as never);
  }

  get acknowledgements(): IngestAcknowledgement[] {
    return this.messages.flatMap(({ message }) => (message?.$case === 'acknowledgement' ? [message.value] : []));
  }

  get results() {
    return this.acknowledgements.flatMap(({ results }) => results);
  }

  get acknowledged(): number {
    return this.acknowledgements.at(-1)?.acknowledgedSequence ?? 0;
  }

  async until(isThere: () => boolean): Promise<void> {
    while (!isThere()) await once(this.stream, 'data');
  }
}
