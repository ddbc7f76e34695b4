import { hash } from 'node:crypto';
import type { EventEmitter } from 'node:events';
import type { Metadata, ServerDuplexStream, ServerUnaryCall, sendUnaryData } from '@grpc/grpc-js';
import type { Call, Idempotency } from '../../../memory/call.ts';
import { invalidFields, isNamespaceMissing, MnemeError } from '../../../memory/errors.ts';
import { ANONYMOUS, type Principal } from '../../../memory/principal.ts';
import { scopeIn } from '../../../memory/scope-text.ts';
import { within } from '../../../search/threads/span.ts';
import { servingCall, servingStream } from '../../../storage/current-call.ts';
import { turns } from '../../operations/turns.ts';
import { asOrigin, type Caller } from '../../operations/visibility/visibility.ts';
import { cutDone } from '../upstream/ended-calls.ts';
import { RECEIPTS, receiptOf } from './answer-receipts.ts';
import { AUDITED_METHODS, audited, isAudited } from './audited-methods.ts';
import { type Codec, encode } from './codec.ts';
import type { Edge, Presented } from './edge.ts';
import { inOperationSpan } from './operation-span.ts';
import { ServedCall } from './served-call.ts';
import { receive, sendable } from './sized-messages.ts';
import type { Failure } from './status.ts';
import { type BoxedRequest, type Outgoing, receiveAll, type Served, sendAll } from './stream-messages.ts';

/** The part of a generated method that has its path. */
interface Definition {
  /** `/package.Service/Method`. */
  readonly path: string;
}

interface Treatment {
  /** Served without credentials, beyond the limits of load, and while the server drains. */
  readonly isOpen?: boolean;
  /** Served without credentials, within the limits of load. */
  readonly isPublic?: boolean;
  /** Served beyond the limits of load: operators look at a server under load. */
  readonly isForOperators?: boolean;
}

interface UnaryTreatment<Q, A> extends Treatment {
  /**
   * For a read: its answer, or failure, where the namespace does not exist and the first write would create it. Such a
   * namespace reads as an empty one.
   */
  readonly whenAbsent?: (request: Q) => A;
}

/** The part of a unary call of grpc-js that is used, so that other transports can make it. */
export type UnaryTransport = Presented &
  Pick<ServerUnaryCall<Buffer, Buffer>, 'request' | 'getDeadline' | 'getPeer' | 'sendMetadata'> &
  EventEmitter;

/** The same of a call with one request and many answers. */
export type StreamTransport = Outgoing & { readonly request: Pick<BoxedRequest, 'take'> };

/** Where methods are mounted by their paths: a server of grpc-js, or the table of another transport. */
export interface Methods {
  unary(path: string, handle: (transport: UnaryTransport, callback: sendUnaryData<Buffer>) => void): void;
  serverStream(path: string, handle: (transport: StreamTransport) => void): void;
  bidi(path: string, handle: (transport: ServerDuplexStream<Buffer, Buffer>) => void): void;
}

/** A method that can be mounted. */
export type Route = (methods: Methods, edge: Edge) => void;

/**
 * One request, one answer. Whatever `serve` does, the caller gets one status and the process continues. Large messages
 * and bursts of calls take turns, so that neither delays other calls.
 */
export function unary<Q extends object, A>(
  { path }: Definition,
  request: Codec<Q>,
  response: Codec<A>,
  serve: (request: Q, call: Call) => A | Promise<A>,
  { whenAbsent, ...treatment }: UnaryTreatment<Q, A> = {},
): Route {
  const receipt = RECEIPTS.get(path.slice(1));
  const operate = async (message: Q, served: ServedCall): Promise<A> => {
    served.permit(message);
    const before = turns.wait();
    if (before) await before;
    const idempotency = idempotencyOf(path, request, message, served.identityWithScopes);
    if (idempotency) served.idempotency = idempotency;
    const { audit } = served;
    const read = async () => {
      try {
        return await serve(message, served);
      } catch (error) {
        if (!(whenAbsent && served.createsNamespaces && isNamespaceMissing(error))) throw error;
        return whenAbsent(message);
      }
    };
    const run = () => servingCall(served, whenAbsent ? read : () => serve(message, served));
    const content = await inOperationSpan(path.slice(1), message, () =>
      audit && isAudited(path, message) ? audited(audit, message, served, run) : run(),
    );
    const after = turns.wait();
    if (after) await after;
    return receipt && !served.mayReadAnswer(message) ? receiptOf(receipt, response, content) : content;
  };
  return (methods, edge) => {
    const answer = async (served: ServedCall, transport: UnaryTransport, callback: sendUnaryData<Buffer>) => {
      try {
        const entry = letIn(treatment, edge, served, transport);
        if (entry) await entry;
        const turn = turns.wait();
        if (turn) await turn;
        const received = receive(request, transport.request, edge, served);
        const message = received instanceof Promise ? await received : received;
        const content = await operate(message, served);
        const bytes = sendable(response, content, edge, served);
        if (served.isEnded) return;
        const { headers } = served;
        if (headers) transport.sendMetadata(headers);
        callback(null, bytes);
        served.succeed();
      } catch (error) {
        served.fail(error);
      } finally {
        cutDone(transport);
      }
    };
    const handle = (transport: UnaryTransport, callback: sendUnaryData<Buffer>) => {
      const send = (failure: Failure) => callback(failure);
      const served = new ServedCall(edge, path.slice(1), transport, { isStream: false }, send);
      within(served.span, () =>
        fromOrigin(transport.metadata, edge, served, () => answer(served, transport, callback)),
      ).catch(edge.onDefect);
    };
    methods.unary(path, handle);
  };
}

interface StreamTreatment<Q, A> extends Treatment {
  /** As that of `unary`: all messages of the stream. */
  readonly whenAbsent?: (request: Q) => readonly A[];
}

/** One request, many answers. */
export function serverStream<Q extends object, A>(
  { path }: Definition,
  request: Codec<Q>,
  response: Codec<A>,
  stream: (request: Q, call: Call) => Served<A>,
  { whenAbsent, ...treatment }: StreamTreatment<Q, A> = {},
): Route {
  const isRecorded = AUDITED_METHODS.has(path);
  const serve = (message: Q, served: ServedCall): Served<A> => {
    if (!whenAbsent || !served.createsNamespaces) return stream(message, served);
    return orEmpty(stream(message, served), () => whenAbsent(message));
  };
  return (methods, edge) => {
    const answer = async (served: ServedCall, transport: StreamTransport) => {
      try {
        const entry = letIn(treatment, edge, served, transport);
        if (entry) await entry;
        if (isRecorded && edge.audit) {
          const message = served.permit(await receive(request, transport.request.take(), edge, served));
          const send = () =>
            servingStream(served, () => sendAll(transport, serve(message, served), response, edge, served));
          await audited(edge.audit, message, served, send);
          return;
        }
        await servingStream(served, async () => {
          // No variable has the message: it would be kept while the stream is open.
          const answers = serve(served.permit(await receive(request, transport.request.take(), edge, served)), served);
          await sendAll(transport, answers, response, edge, served);
        });
      } catch (error) {
        served.fail(error);
      }
    };
    const handle = (transport: StreamTransport) => {
      const served = streamOf(edge, path, transport);
      within(served.span, () => fromOrigin(transport.metadata, edge, served, () => answer(served, transport))).catch(
        edge.onDefect,
      );
    };
    methods.serverStream(path, handle);
  };
}

/** The messages; the other ones where the namespace is missing from the beginning. */
async function* orEmpty<A>(messages: Served<A>, others: () => readonly A[]): AsyncGenerator<A | Buffer> {
  let isBegun = false;
  try {
    for await (const message of await messages) {
      isBegun = true;
      yield message;
    }
  } catch (error) {
    if (isBegun || !isNamespaceMissing(error)) throw error;
    yield* others();
  }
}

/** Many requests, many answers, in any order. */
export function bidi<Q extends object, A>(
  { path }: Definition,
  request: Codec<Q>,
  response: Codec<A>,
  serve: (requests: AsyncIterable<Q>, call: Call) => Served<A>,
  treatment: Treatment = {},
): Route {
  return (methods, edge) => {
    const answer = async (served: ServedCall, transport: ServerDuplexStream<Buffer, Buffer>) => {
      try {
        const entry = letIn(treatment, edge, served, transport);
        if (entry) await entry;
        edge.waits?.follow(transport, (error) => served.fail(error));
        const messages = receiveAll(request, transport, edge, served);
        await servingStream(served, () => sendAll(transport, serve(messages, served), response, edge, served));
      } catch (error) {
        served.fail(error);
      }
    };
    const handle = (transport: ServerDuplexStream<Buffer, Buffer>) => {
      const served = streamOf(edge, path, transport);
      within(served.span, () => fromOrigin(transport.metadata, edge, served, () => answer(served, transport))).catch(
        edge.onDefect,
      );
    };
    methods.bidi(path, handle);
  };
}

function streamOf(edge: Edge, path: string, transport: Outgoing): ServedCall {
  return new ServedCall(edge, path.slice(1), transport, { isStream: true }, (failure) => {
    transport.emit('error', failure);
  });
}

/** Fails where the call may not be served. Waits for nothing unless a credential has to be looked up elsewhere. */
function letIn(treatment: Treatment, edge: Edge, served: ServedCall, presented: Presented): void | Promise<void> {
  const { isOpen, isPublic, isForOperators } = treatment;
  if (isOpen) {
    edge.enter(served);
    return checked(served);
  }
  if (isPublic) return admit(edge, served, ANONYMOUS);
  const found = edge.authorize(presented);
  if (found instanceof Promise) {
    return edge.afterLookup(found, (principal) => admit(edge, served, principal, isForOperators));
  }
  admit(edge, served, found, isForOperators);
}

function admit(edge: Edge, served: ServedCall, principal: Principal, isForOperators?: boolean): void {
  // The caller may have gone while its credential was looked up.
  if (served.isEnded) throw new MnemeError('CANCELLED', 'the call has ended');
  served.principal = principal;
  if (served.origin) served.origin.principal = principal;
  edge.admit(served, isForOperators);
  checked(served);
}

function checked(served: ServedCall): void {
  served.checkDeadline();
  if (served.refusal) throw served.refusal;
}

const REQUEST_ID = /^[\x20-\x7e]{1,128}$/;

/**
 * The idempotency record of a request with a `request_id`. The fingerprint is computed from the request as this server
 * encodes it, without the id: repetitions have the same one whatever the order of their fields. That of a caller who is
 * limited to scopes has its identity and them, since the answer that is kept for others may have what this caller may not
 * see.
 */
function idempotencyOf<Q extends object>(
  path: string,
  codec: Codec<Q>,
  request: Q,
  limitedTo = '',
): Idempotency | undefined {
  const requestId = (request as { requestId?: string }).requestId;
  if (!requestId) return undefined;
  if (!REQUEST_ID.test(requestId)) {
    throw invalidFields([{ field: 'request_id', description: 'must be 1 to 128 printable ASCII characters' }]);
  }
  const body = encode(codec, { ...request, requestId: '' });
  return { requestId, fingerprint: hash('sha256', Buffer.concat([Buffer.from(limitedTo + path), body]), 'hex') };
}

/** Names the scope of the caller; see `proto/mneme/v1/scope_service.proto`. */
const HEADER = 'mneme-scope';

/** Serves a call with the scope of its header, and with the limits of its caller; refuses one with an invalid header. */
function fromOrigin<T>(metadata: Metadata, { access, quotas }: Edge, served: ServedCall, serve: () => T): T {
  const [header] = metadata.get(HEADER);
  if (header === undefined && !access && !quotas) return serve();
  const from = header === undefined ? undefined : callerOf(String(header));
  if (from instanceof Error) {
    served.refuse(from);
    return serve();
  }
  served.origin = { from, limits: undefined, principal: undefined };
  return asOrigin(served.origin, serve);
}

function callerOf(header: string): Caller | Error {
  if (header === '*') return 'everything';
  const scope = scopeIn(header);
  if (!('problem' in scope)) return scope;
  const description = `${scope.problem}; it is "*", or parts such as project=p&agent=a with percent-encoded values`;
  return invalidFields([{ field: HEADER, description }]);
}
