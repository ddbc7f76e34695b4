import { BinaryReader, BinaryWriter } from '@bufbuild/protobuf/wire';
import { PipelineServiceService } from '../../../gen/ts/mneme/v1/pipeline_service.ts';
import type { RawTransport } from './raw-transport.ts';

const LENGTH_DELIMITED = 2;
/** The gRPC message prefix: a byte of flags and four of length. */
const PREFIX_BYTES = 5;
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
  private rest: Buffer = Buffer.alloc(0);
  private newestId = 0;

  constructor(transport: RawTransport) {
    const onEnd = (): void => this.failAll();
    this.say = transport.talk(PipelineServiceService.pipeline.path, (bytes) => this.read(bytes), onEnd);
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

  private read(chunk: Buffer): void {
    const bytes = this.rest.length > 0 ? Buffer.concat([this.rest, chunk]) : chunk;
    let at = 0;
    while (bytes.length - at >= PREFIX_BYTES) {
      const end = at + PREFIX_BYTES + bytes.readUInt32BE(at + 1);
      if (end > bytes.length) break;
      this.readResults(new BinaryReader(bytes.subarray(at + PREFIX_BYTES, end)));
      at = end;
    }
    this.rest = Buffer.from(bytes.subarray(at));
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
