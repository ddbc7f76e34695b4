import { Writable } from 'node:stream';
import { type Client, Metadata, type ServiceError, status } from '@grpc/grpc-js';
import type { Method } from '../server/grpc/support/named-requests.ts';

/** A call of generated messages. */
export interface FuzzedCall {
  readonly method: Pick<Method, 'path' | 'kind'>;
  readonly requests: readonly Uint8Array[];
  /** Whether a stream is cancelled after its messages, in place of being ended. */
  readonly isCut: boolean;
}

export interface Outcome {
  readonly code: status;
  readonly message: string;
  readonly answers: readonly Buffer[];
}

const DEADLINE_MS = 2000;
/** Time without an answer after which a stream is cancelled. */
const SILENCE_MS = 40;
const ANSWERS_MAX = 4;

const same = (bytes: Buffer): Buffer => bytes;

/** Makes a call in wire format. Streams are cancelled after a few answers, or when none come. */
export function makeCall(client: Client, { method, requests, isCut }: FuzzedCall): Promise<Outcome> {
  const deadline = { deadline: Date.now() + DEADLINE_MS };
  const path = `/${method.path}`;
  const messages = requests.map((bytes) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length));
  const [first = Buffer.alloc(0)] = messages;
  return new Promise((resolve) => {
    const answers: Buffer[] = [];
    const end = (error: ServiceError | null) => {
      const { code = status.OK, details = '' } = error ?? {};
      resolve({ code, message: details, answers });
    };
    if (method.kind === 'unary') {
      client.makeUnaryRequest(path, same, same, first, new Metadata(), deadline, (error, answer) => {
        if (answer) answers.push(answer);
        end(error);
      });
      return;
    }
    const stream =
      method.kind === 'bidi_streaming'
        ? client.makeBidiStreamRequest(path, same, same, new Metadata(), deadline)
        : client.makeServerStreamRequest(path, same, same, first, new Metadata(), deadline);
    const silence = setTimeout(() => stream.cancel(), SILENCE_MS);
    stream.on('data', (answer: Buffer) => {
      if (answers.push(answer) >= ANSWERS_MAX) stream.cancel();
      else silence.refresh();
    });
    stream.on('status', ({ code, details }: ServiceError) => {
      clearTimeout(silence);
      end({ code, details } as ServiceError);
    });
    stream.on('error', () => undefined);
    if (!(stream instanceof Writable)) return;
    for (const message of messages) stream.write(message);
    if (isCut) stream.cancel();
    else stream.end();
  });
}
