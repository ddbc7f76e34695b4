import { CallFailure, type ConnectError, failureOf } from './failure.ts';
import { credentials } from './token.ts';

/** Codec of a message, as `gen/ts` has it. */
interface Codec<Message, Draft> {
  encode(message: Message): { finish(): Uint8Array };
  decode(bytes: Uint8Array): Message;
  fromPartial(draft: Draft): Message;
}

/** Calls a method: fields that the draft omits have their defaults. */
export type Unary<Draft, Answer> = (draft: Draft, signal?: AbortSignal) => Promise<Answer>;
export type Streamed<Draft, Answer> = (draft: Draft, signal: AbortSignal) => AsyncGenerator<Answer, void>;

/** A unary method by its path, such as `mneme.v1.MemoryService/GetMemory`. */
export function unary<Request, Draft, Answer, Part>(
  path: string,
  request: Codec<Request, Draft>,
  answer: Codec<Answer, Part>,
): Unary<Draft, Answer> {
  return async (draft, signal) => {
    const body = request.encode(request.fromPartial(draft)).finish();
    const response = await post(path, 'application/proto', body, signal);
    if (!response.ok) throw await refusalOf(response);
    return answer.decode(new Uint8Array(await response.arrayBuffer()));
  };
}

/** A method whose answer is a stream; the stream ends with the signal, or when its reader stops. */
export function streamed<Request, Draft, Answer, Part>(
  path: string,
  request: Codec<Request, Draft>,
  answer: Codec<Answer, Part>,
): Streamed<Draft, Answer> {
  return async function* (draft, signal) {
    const body = enveloped(request.encode(request.fromPartial(draft)).finish());
    const response = await post(path, 'application/connect+proto', body, signal);
    if (!response.ok || !response.body) throw await refusalOf(response);
    for await (const { isLast, bytes } of envelopesOf(response.body)) {
      if (!isLast) yield answer.decode(bytes);
      else {
        const { error } = JSON.parse(new TextDecoder().decode(bytes)) as { readonly error?: ConnectError };
        if (error) throw failureOf(error);
        return;
      }
    }
    throw new CallFailure('unavailable', 'The connection ended before the stream did.');
  };
}

async function post(path: string, type: string, body: Uint8Array, signal?: AbortSignal): Promise<Response> {
  const headers: Record<string, string> = { 'content-type': type, 'connect-protocol-version': '1' };
  const token = credentials.value;
  if (token !== '') headers['authorization'] = `Bearer ${token}`;
  try {
    return await fetch(`/${path}`, {
      method: 'POST',
      headers,
      body: body as Uint8Array<ArrayBuffer>,
      cache: 'no-store',
      credentials: 'omit',
      redirect: 'error',
      ...(signal && { signal }),
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new CallFailure('unavailable', 'The server does not answer: it has stopped, or the connection is broken.');
  }
}

async function refusalOf(response: Response): Promise<CallFailure> {
  const text = await response.text();
  try {
    return failureOf(JSON.parse(text) as ConnectError);
  } catch {
    return new CallFailure('unavailable', `The answer is not one of Mneme: status ${response.status} of HTTP.`);
  }
}

/** Bytes before a message: flags, and the length. */
const HEAD_BYTES = 5;
const LAST = 0x02;

function enveloped(message: Uint8Array): Uint8Array {
  const envelope = new Uint8Array(HEAD_BYTES + message.length);
  new DataView(envelope.buffer).setUint32(1, message.length);
  envelope.set(message, HEAD_BYTES);
  return envelope;
}

interface Envelope {
  readonly isLast: boolean;
  readonly bytes: Uint8Array;
}

async function* envelopesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Envelope, void> {
  const reader = body.getReader();
  let held = new Uint8Array(0);
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      held = joined(held, value);
      for (let length = lengthOf(held); held.length >= length; length = lengthOf(held)) {
        yield { isLast: ((held[0] ?? 0) & LAST) !== 0, bytes: held.subarray(HEAD_BYTES, length) };
        held = held.subarray(length);
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const both = new Uint8Array(first.length + second.length);
  both.set(first);
  both.set(second, first.length);
  return both;
}

/** Bytes of the first envelope; more than there are while its head is not complete. */
function lengthOf(held: Uint8Array): number {
  if (held.length < HEAD_BYTES) return HEAD_BYTES;
  return HEAD_BYTES + new DataView(held.buffer, held.byteOffset).getUint32(1);
}
