import { type CallOptions, type ClientUnaryCall, Metadata, type ServiceError, status } from '@grpc/grpc-js';
import { BadRequest, ErrorInfo, RequestInfo, RetryInfo } from '../../../../gen/ts/google/rpc/error_details.ts';
import { Status } from '../../../../gen/ts/google/rpc/status.ts';

type Unary<Q, A> = (
  request: Q,
  metadata: Metadata,
  options: Partial<CallOptions>,
  callback: (error: ServiceError | null, answer: A) => void,
) => ClientUnaryCall;

export interface AskOptions {
  readonly deadlineMs?: number;
  readonly metadata?: Metadata;
}

/** Makes a unary call of a generated client, with a deadline. */
export function ask<Q, A>(
  client: object,
  method: Unary<Q, A>,
  request: Q,
  { deadlineMs = 30_000, metadata = new Metadata() }: AskOptions = {},
): Promise<A> {
  return new Promise((resolve, reject) => {
    const options = { deadline: Date.now() + deadlineMs };
    method.call(client, request, metadata, options, (error, answer) => (error ? reject(error) : resolve(answer)));
  });
}

/** A failure as a client that reads the details sees it. */
export interface Refusal {
  readonly code: string;
  readonly message: string;
  readonly reason: string | undefined;
  readonly metadata: Record<string, string>;
  /** Paths of the fields that were found fault with. */
  readonly fields: readonly string[];
  readonly descriptions: readonly string[];
  readonly retryDelayMs: number | undefined;
  readonly requestId: string | undefined;
  readonly trailerBytes: number;
  readonly trailer: Metadata;
}

/** How the call fails; fails itself when the call succeeds. */
export async function refusal(call: Promise<unknown>): Promise<Refusal> {
  const error = await call.then(
    (answer) => {
      const shown = JSON.stringify(answer, (_, value) => (typeof value === 'bigint' ? String(value) : value));
      throw new Error(`the call succeeded: ${shown}`);
    },
    (thrown: ServiceError) => thrown,
  );
  if (typeof error.code !== 'number') throw error;
  return refusalOf(error);
}

export function refusalOf({ code, details, metadata }: Pick<ServiceError, 'code' | 'details' | 'metadata'>): Refusal {
  const [bytes] = metadata.get('grpc-status-details-bin');
  const detailed = Buffer.isBuffer(bytes) ? Status.decode(bytes) : undefined;
  if (detailed && (detailed.code !== code || detailed.message !== details))
    throw new Error('details of another status');
  const find = <T>(name: string, codec: { decode(bytes: Uint8Array): T }): T | undefined => {
    const any = detailed?.details.find(({ typeUrl }) => typeUrl === `type.googleapis.com/google.rpc.${name}`);
    return any && codec.decode(any.value);
  };
  const info = find('ErrorInfo', ErrorInfo);
  if (info && info.domain !== 'mneme.dev') throw new Error(`domain ${info.domain}`);
  const violations = find('BadRequest', BadRequest)?.fieldViolations ?? [];
  const delay = find('RetryInfo', RetryInfo)?.retryDelay;
  return {
    code: status[code] ?? String(code),
    message: details,
    reason: info?.reason,
    metadata: info?.metadata ?? {},
    fields: violations.map(({ field }) => field),
    descriptions: violations.map(({ description }) => description),
    retryDelayMs: delay && Number(delay.seconds) * 1000 + delay.nanos / 1e6,
    requestId: find('RequestInfo', RequestInfo)?.requestId,
    trailerBytes: encodeURI(details).length + (detailed ? Math.ceil(((bytes as Buffer).length * 4) / 3) : 0),
    trailer: metadata,
  };
}
