import { randomUUID } from 'node:crypto';
import { credentials, Metadata, type ServiceError } from '@grpc/grpc-js';
import { IngestMemoriesRequest, type IngestMemoriesResponse } from '../../../gen/ts/mneme/v1/ingest_service.ts';
import { Memory } from '../../../gen/ts/mneme/v1/memory.ts';
import {
  ExportMemoriesRequest,
  type ExportMemoriesResponse,
  GetMemoryRequest,
  type GetMemoryResponse,
  type StoreMemoryRequest,
  type StoreMemoryResponse,
} from '../../../gen/ts/mneme/v1/memory_service.ts';
import { IngestServiceClient, MemoryServiceClient } from '../../../test/support/service-clients.ts';
import { channelOptionsOf } from '../src/channel.ts';
import { type Side, sentence } from './work.ts';

const BATCH = 256;
const TIMEOUT_MS = 10_000;

/** The generated stubs over a channel like the client's, without the client. */
export class Stubs implements Side {
  readonly #memories: MemoryServiceClient;
  readonly #ingests: IngestServiceClient;

  constructor(address: string) {
    this.#memories = new MemoryServiceClient(address, credentials.createInsecure(), channelOptionsOf(address, {}));
    this.#ingests = new IngestServiceClient(address, credentials.createInsecure(), channelOptionsOf(address, {}));
  }

  async get(namespace: string, id: string): Promise<string> {
    const request = GetMemoryRequest.fromPartial({ name: `namespaces/${namespace}/memories/${id}` });
    const { memory } = await answer<GetMemoryResponse>((told) =>
      this.#memories.getMemory(request, new Metadata(), deadline(), told),
    );
    return memory?.text ?? '';
  }

  async store(namespace: string, text: string): Promise<void> {
    const scope = { agent: 'scout', session: 'harbour' };
    const memory = Memory.fromPartial({ text, type: 'message', scope, source: { speaker: 'Ada' } });
    const parent = `namespaces/${namespace}`;
    const request: StoreMemoryRequest = { parent, memory, memoryId: '', requestId: randomUUID() };
    await answer<StoreMemoryResponse>((told) => this.#memories.storeMemory(request, new Metadata(), deadline(), told));
  }

  async ingest(namespace: string, vectors: readonly Float32Array[]): Promise<number> {
    const stream = this.#ingests.ingestMemories();
    const send = async (): Promise<void> => {
      const start = { parent: `namespaces/${namespace}`, streamId: randomUUID(), refusalsOnly: true };
      stream.write(IngestMemoriesRequest.fromPartial({ message: { $case: 'start', value: start } }));
      for (let first = 0; first < vectors.length; first += BATCH) {
        const items = vectors.slice(first, first + BATCH).map((vector, i) => itemOf(first + i, vector));
        const value = { firstSequence: first + 1, items };
        if (!stream.write({ message: { $case: 'batch', value } })) {
          await new Promise((resolve) => stream.once('drain', resolve));
        }
      }
      stream.end();
    };
    const sent = send();
    let stored = 0;
    for await (const { message } of stream as AsyncIterable<IngestMemoriesResponse>) {
      if (message?.$case === 'acknowledgement') stored = message.value.storedCount;
    }
    await sent;
    return stored;
  }

  async export(namespace: string): Promise<number> {
    const request = ExportMemoriesRequest.fromPartial({ parent: `namespaces/${namespace}` });
    let count = 0;
    for await (const { memories } of this.#memories.exportMemories(request) as AsyncIterable<ExportMemoriesResponse>) {
      for (const { text, embedding } of memories) if (text !== '' && embedding !== undefined) count++;
    }
    return count;
  }
}

function itemOf(i: number, vector: Float32Array) {
  const dataF32le = Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength);
  const embedding = { dataF32le, dimension: vector.length, model: 'bench' };
  return { memory: Memory.fromPartial({ text: sentence(i), embedding }), memoryId: '' };
}

function deadline(): { deadline: number } {
  return { deadline: Date.now() + TIMEOUT_MS };
}

function answer<A>(call: (told: (error: ServiceError | null, value: A) => void) => unknown): Promise<A> {
  return new Promise((resolve, reject) => {
    call((error, value) => (error ? reject(error) : resolve(value)));
  });
}
