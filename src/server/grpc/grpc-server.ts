import type { Socket } from 'node:net';
import { type ConnectionInjector, Server, ServerCredentials, setLogger } from '@grpc/grpc-js';
import type { Timers } from '../../memory/clock.ts';
import type { Logger } from '../logger.ts';
import type { Edge } from './edge/edge.ts';
import type { Methods, Route } from './edge/handler.ts';
import { boxed } from './edge/stream-messages.ts';
import type { CallWaits } from './upstream/call-waits.ts';
import { ConnectionAge, type ConnectionAgeLimits } from './upstream/connection-age.ts';
import { cutClosedStreams } from './upstream/ended-calls.ts';
import { widenWindows } from './upstream/http2-window.ts';
import type { OpenConnections } from './upstream/open-connections.ts';
import { transportStatuses } from './upstream/transport-statuses.ts';
import { answerUnknownMethods } from './upstream/unknown-method.ts';

export interface TransportSettings extends ConnectionAgeLimits {
  readonly maxRequestBytes: number;
  readonly maxResponseBytes: number;
  readonly maxConcurrentStreams: number;
  readonly http2WindowBytes: number;
  readonly keepaliveTimeMs: number;
  readonly keepaliveTimeoutMs: number;
  readonly connectionsMax: number;
  readonly connectionsPerAddressMax: number;
  readonly maxHandshakeMs: number;
  readonly maxRequestWaitMs: number;
}

/** The gRPC server of grpc-js, with the methods of Mneme on it. It serves connections that are handed to it. */
export class GrpcServer {
  private readonly server: Server;
  private readonly injector: ConnectionInjector;
  private readonly ages: ConnectionAge;

  constructor(
    settings: TransportSettings,
    edge: Edge,
    routes: readonly Route[],
    { connections, waits, timers }: { connections: OpenConnections; waits: CallWaits; timers: Timers },
  ) {
    this.ages = new ConnectionAge(settings, timers, (session) => edge.endCallsOf(session));
    setLogger(logOf(edge.logger));
    this.server = new Server({
      'grpc.max_receive_message_length': settings.maxRequestBytes,
      'grpc.max_send_message_length': settings.maxResponseBytes,
      'grpc.max_concurrent_streams': settings.maxConcurrentStreams,
      'grpc.keepalive_time_ms': settings.keepaliveTimeMs,
      'grpc.keepalive_timeout_ms': settings.keepaliveTimeoutMs,
      'grpc.enable_channelz': 0,
      interceptors: [transportStatuses(settings.maxRequestBytes)],
    });
    const methods = methodsOf(this.server);
    for (const mount of routes) mount(methods, edge);
    answerUnknownMethods(this.server, edge);
    const watchConnections = widenWindows(this.server, settings.http2WindowBytes);
    // TLS has been taken off where there is any: of the socket grpc-js asks for the certificate of the caller.
    this.injector = this.server.createConnectionInjector(ServerCredentials.createInsecure());
    watchConnections((session) => {
      session.prependListener('stream', waits.open);
      cutClosedStreams(session);
      connections.addSession(session);
      this.ages.addSession(session);
    });
  }

  /** Serves HTTP/2 over a connection. */
  accept(socket: Socket): void {
    this.injector.injectConnection(socket);
  }

  /** Asks callers to open no more calls; resolves when they have had time to read it. */
  announceStop(): Promise<void> {
    return this.ages.stop();
  }

  /** Lets the calls that have begun finish; resolves when all connections are closed. */
  close(): Promise<void> {
    return new Promise((resolve) => this.server.tryShutdown(() => resolve()));
  }
}

const raw = (bytes: Buffer): Buffer => bytes;

function methodsOf(server: Server): Methods {
  return {
    unary: (path, handle) => void server.register(path, handle, raw, raw, 'unary'),
    serverStream: (path, handle) => void server.register(path, handle, raw, boxed, 'serverStream'),
    bidi: (path, handle) => void server.register(path, handle, raw, raw, 'bidi'),
  };
}

/** grpc-js's own messages are logged at debug level. */
function logOf(logger: Logger): Partial<Console> {
  const log = (...words: unknown[]) => logger.debug(`grpc-js: ${words.join(' ')}`);
  return { error: log, info: log, debug: log };
}
