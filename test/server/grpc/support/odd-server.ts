import { type CallOptions, Client, credentials, Metadata, type ServiceError } from '@grpc/grpc-js';
import { HealthCheckRequest as Echo } from '../../../../gen/ts/grpc/health/v1/health.ts';
import type { Call } from '../../../../src/memory/call.ts';
import type { Timers } from '../../../../src/memory/clock.ts';
import { Health } from '../../../../src/server/grpc/admin/health-service.ts';
import { Edge, type EdgeLimits } from '../../../../src/server/grpc/edge/edge.ts';
import { bidi, serverStream, unary } from '../../../../src/server/grpc/edge/handler.ts';
import { type PortSettings, ServerPort } from '../../../../src/server/http/server-port.ts';
import { ask } from './ask.ts';
import { loggerInto } from './test-server.ts';

type Unary = (request: Echo, call: Call) => Echo | Promise<Echo>;
type Answers = AsyncIterable<Echo>;

const LIMITS: EdgeLimits = {
  maxCallsInFlight: 4,
  maxEventLoopLagMs: 0,
  maxRequestBytes: 65_536,
  maxResponseBytes: 65_536,
  defaultDeadlineMs: 60_000,
  maxDeadlineMs: 60_000,
  maxStreamStallMs: 30_000,
};
const TRANSPORT = {
  maxConcurrentStreams: 100,
  http2WindowBytes: 4_194_304,
  keepaliveTimeMs: 30_000,
  keepaliveTimeoutMs: 10_000,
  connectionsMax: 1000,
  connectionsPerAddressMax: 1000,
  maxHandshakeMs: 10_000,
  maxRequestWaitMs: 30_000,
  keepaliveMinMs: 0,
  maxConnectionAgeMs: 0,
  maxConnectionAgeGraceMs: 30_000,
  http: 'on' as const,
  httpOrigins: [],
};
const paths = { unary: '/odd.v1.Odd/Unary', stream: '/odd.v1.Odd/Stream', bidi: '/odd.v1.Odd/Bidi' };
const encode = (request: Echo) => Buffer.from(Echo.encode(request).finish());
const decode = (bytes: Buffer) => Echo.decode(bytes);

/**
 * A server whose three methods have texts as requests and answers and are served by the test, behind the common
 * adapter.
 */
export async function startOddServer(
  serve: {
    unary?: Unary;
    stream?: (request: Echo, call: Call) => Answers;
    bidi?: (requests: AsyncIterable<Echo>, call: Call) => Answers;
  },
  limits: Partial<EdgeLimits & PortSettings> = {},
  timers?: Timers,
) {
  const log: Record<string, unknown>[] = [];
  const edge = new Edge({ limits: { ...LIMITS, ...limits }, logger: loggerInto(log) });
  const routes = [
    unary({ path: paths.unary }, Echo, Echo, serve.unary ?? unserved),
    serverStream({ path: paths.stream }, Echo, Echo, serve.stream ?? unserved),
    bidi({ path: paths.bidi }, Echo, Echo, serve.bidi ?? unserved),
  ];
  const health = new Health([]);
  const settings = { ...LIMITS, ...TRANSPORT, ...limits };
  const server = new ServerPort(settings, { edge, health, routes, ...(timers && { timers }) });
  const address = await server.listen('127.0.0.1:0');
  const client = new Client(address, credentials.createInsecure());
  return {
    edge,
    log,
    address,
    /** Makes the unary call; bytes go out as they are. */
    call: (request: string | Buffer = '', options: { deadlineMs?: number } = {}) =>
      ask<string | Buffer, Echo>(client, unaryMethod, request, options),
    /** Makes the unary call without a deadline. */
    callForever: () =>
      new Promise<Echo>((resolve, reject) => {
        client.makeUnaryRequest(paths.unary, encode, decode, { service: '' }, (error, answer) =>
          error || !answer ? reject(error) : resolve(answer),
        );
      }),
    startUnary: (onEnd: (error: unknown) => void) =>
      client.makeUnaryRequest(paths.unary, encode, decode, { service: '' }, onEnd),
    stream: (options = {}) =>
      client.makeServerStreamRequest(paths.stream, encode, decode, { service: '' }, new Metadata(), options),
    bidi: () => client.makeBidiStreamRequest(paths.bidi, encode, decode),
    async stop() {
      client.close();
      await server.stop(500);
    },
  };
}

function unaryMethod(
  this: Client,
  request: string | Buffer,
  metadata: Metadata,
  options: CallOptions,
  callback: (error: ServiceError | null, answer: Echo) => void,
) {
  const serialize = (value: string | Buffer) => (typeof value === 'string' ? encode({ service: value }) : value);
  const answer = (error: ServiceError | null, echo?: Echo) => callback(error, echo ?? { service: '' });
  return this.makeUnaryRequest(paths.unary, serialize, decode, request, metadata, options, answer);
}

export type OddServer = Awaited<ReturnType<typeof startOddServer>>;

function unserved(): never {
  throw new Error('the test does not call this method');
}
