import { BinaryReader, BinaryWriter } from '@bufbuild/protobuf/wire';
import { PipelineServiceService } from '../../../gen/ts/mneme/v1/pipeline_service.ts';
import { MessageReader } from './message-reader.ts';
import type { RawTransport } from './raw-transport.ts';

const LENGTH_DELIMITED = 2;
/** Fields of the messages of a session. */
const [ITEMS, CORRELATION_ID, ERROR, STORE] = [1, 1, 2, 10];

interface Waiting {
  resolve(): void;
  reject(error: Error): void;
}

/** Stores over one session, of whose answers only the numbers and whether they are errors are read. */
export class SessionWriter {
  private readonly say: (message: Uint8Array) => void;
  private readonly waiting = new Map<number, Waiting>();
  private newestId = 0;

  constructor(transport: RawTransport) {
    const onEnd = (): void => this.failAll();
    const reader = new MessageReader((message) => this.readResults(new BinaryReader(message)));
    this.say = transport.talk(PipelineServiceService.pipeline.path, (bytes) => reader.read(bytes), onEnd);
  }

  /** Resolves when the memory of this encoded StoreRequest is stored. */
  store(request: Uint8Array): Promise<void> {
    const id = ++this.newestId;
    const operation = new BinaryWriter().uint32(CORRELATION_ID << 3).int64(id);
    operation.uint32((STORE << 3) | LENGTH_DELIMITED).bytes(request);
    const message = new BinaryWriter().uint32((ITEMS << 3) | LENGTH_DELIMITED).bytes(operation.finish());
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      this.say(message.finish());
    });
  }

  private readResults(message: BinaryReader): void {
    while (message.pos < message.len) {
      message.tag();
      const result = new BinaryReader(message.bytes());
      const [field] = result.tag();
      const id = field === CORRELATION_ID ? Number(result.int64()) : 0;
      const [answer] = result.tag();
      const waiting = this.waiting.get(id);
      this.waiting.delete(id);
      if (answer === ERROR) waiting?.reject(new Error('the server has refused a memory'));
      else waiting?.resolve();
    }
  }

  private failAll(): void {
    for (const { reject } of this.waiting.values()) reject(new Error('the server has ended the session'));
    this.waiting.clear();
  }
}
