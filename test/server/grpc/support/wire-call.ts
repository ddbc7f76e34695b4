import { Writable } from 'node:stream';
import { type Client, type Metadata, type ServiceError, status } from '@grpc/grpc-js';
import { type Refusal, refusalOf } from './ask.ts';
import type { Method } from './named-requests.ts';

export interface Outcome {
  readonly refusal: Refusal | undefined;
  readonly answers: readonly Buffer[];
}

interface WireOptions {
  readonly deadlineMs?: number;
  readonly isEnough?: (answers: readonly Buffer[]) => boolean;
}

const same = (bytes: Buffer): Buffer => bytes;

/** Makes a call in wire format; a stream is cancelled when its answers are enough, by default after the first one. */
export function wireCall(
  raw: Client,
  { path, kind }: Pick<Method, 'path' | 'kind'>,
  request: Buffer,
  metadata: Metadata,
  { deadlineMs = 20_000, isEnough = () => true }: WireOptions = {},
): Promise<Outcome> {
  const deadline = { deadline: Date.now() + deadlineMs };
  return new Promise((resolve) => {
    const answers: Buffer[] = [];
    const end = (error: ServiceError | null) => {
      resolve({ refusal: error && error.code !== status.CANCELLED ? refusalOf(error) : undefined, answers });
    };
    if (kind === 'unary') {
      raw.makeUnaryRequest(`/${path}`, same, same, request, metadata, deadline, (error, answer) => {
        if (answer) answers.push(answer);
        end(error);
      });
      return;
    }
    const stream =
      kind === 'bidi_streaming'
        ? raw.makeBidiStreamRequest(`/${path}`, same, same, metadata, deadline)
        : raw.makeServerStreamRequest(`/${path}`, same, same, request, metadata, deadline);
    stream.on('data', (answer: Buffer) => {
      answers.push(answer);
      if (isEnough(answers)) stream.cancel();
    });
    stream.on('error', (error) => end(error as ServiceError));
    stream.on('end', () => end(null));
    if (stream instanceof Writable) stream.write(request);
  });
}
