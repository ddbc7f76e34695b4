import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { status as Code } from '@grpc/grpc-js';
import { MnemeError } from '../../../memory/errors.ts';
import type { Wait } from '../../../memory/waits.ts';
import { ProtocolStatus } from '../../grpc/edge/status.ts';
import type { AwaitedCall, CallWaits } from '../../grpc/upstream/call-waits.ts';

const NO_BYTES = Buffer.alloc(0);
const unzip = promisify(gunzip);

/** The body of a request while it arrives. */
class ArrivingBody implements AwaitedCall {
  extensions = 0;
  private readonly settle: (body: Buffer | Error | undefined) => void;

  constructor(settle: (body: Buffer | Error | undefined) => void) {
    this.settle = settle;
  }

  refuse(error: MnemeError): void {
    this.settle(error);
  }

  cut(): void {}
  renew(): void {}
}

/**
 * The body of a request, or why it cannot be used; `undefined` where the caller has gone. Bytes that come after a
 * refusal are read and dropped, so that the caller reads the answer.
 */
export function readBody(
  request: IncomingMessage,
  bytesMax: number,
  waits: CallWaits,
): Promise<Buffer | Error | undefined> {
  return new Promise((resolve) => {
    let chunks: Buffer[] | undefined = [];
    let byteCount = 0;
    let wait: Wait<AwaitedCall> | undefined;
    const settle = (body: Buffer | Error | undefined): void => {
      if (!chunks) return;
      chunks = undefined;
      if (wait) waits.end(wait);
      resolve(body);
    };
    request.on('data', (chunk: Buffer) => {
      byteCount += chunk.length;
      if (byteCount > bytesMax) settle(tooLarge(bytesMax));
      else chunks?.push(chunk);
    });
    request.on('end', () => settle(chunks?.length === 1 ? chunks[0] : Buffer.concat(chunks ?? [])));
    request.on('close', () => settle(undefined));
    request.on('error', () => settle(undefined));
    if (Number(request.headers['content-length'] ?? 0) > bytesMax) settle(tooLarge(bytesMax));
    else if (!request.complete) wait = waits.awaitRequest(new ArrivingBody(settle));
  });
}

function tooLarge(bytesMax: number): MnemeError {
  return new MnemeError('MESSAGE_TOO_LARGE', `the body of the request has more than ${bytesMax} bytes`, {
    metadata: { limit_bytes: String(bytesMax) },
  });
}

export const ENCODINGS = 'gzip';

/** The bytes without their encoding, as headers name it; absent: there is none. */
export async function decoded(
  bytes: Buffer | Error,
  encoding: string | undefined,
  bytesMax: number,
): Promise<Buffer | Error> {
  if (bytes instanceof Error || encoding === undefined || encoding === '' || encoding === 'identity') return bytes;
  if (encoding !== 'gzip') {
    const message = `the server does not read the encoding ${encoding.slice(0, 40)}: it reads ${ENCODINGS}`;
    return new ProtocolStatus(Code.UNIMPLEMENTED, message);
  }
  if (bytes.length === 0) return NO_BYTES;
  try {
    return await unzip(bytes, { maxOutputLength: bytesMax });
  } catch (cause) {
    const isLarge = (cause as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
    if (isLarge) return tooLarge(bytesMax);
    return new MnemeError('MESSAGE_MALFORMED', 'the body of the request is not in gzip', { cause });
  }
}

const ENVELOPE_BYTES = 5;
const COMPRESSED = 1;

/** The message of a request in envelopes, each a flag, a length and a message; there is one. */
export async function opened(
  body: Buffer | Error,
  encoding: string | undefined,
  bytesMax: number,
): Promise<Buffer | Error> {
  if (body instanceof Error) return body;
  if (body.length < ENVELOPE_BYTES) return notOne('none');
  const flag = body.readUInt8(0);
  const end = ENVELOPE_BYTES + body.readUInt32BE(1);
  if (end > body.length) return new MnemeError('MESSAGE_MALFORMED', 'the message of the request is incomplete');
  if (end < body.length) return notOne('several');
  if (flag > COMPRESSED) return new MnemeError('MESSAGE_MALFORMED', `the request has a message with the flag ${flag}`);
  const message = body.subarray(ENVELOPE_BYTES);
  return flag === COMPRESSED ? decoded(message, encoding ?? 'none', bytesMax) : message;
}

function notOne(count: string): Error {
  return new ProtocolStatus(Code.UNIMPLEMENTED, `the method takes one message, and the request has ${count}`);
}
