import { setImmediate as nextTurn } from 'node:timers/promises';
import { Server, type ServerCredentials, setLogger } from '@grpc/grpc-js';
import { systemTimers, type Timers } from '../../memory/clock.ts';
import type { Logger } from '../logger.ts';
import type { Health } from './admin/health-service.ts';
import type { Edge } from './edge/edge.ts';
import type { Route } from './edge/handler.ts';
import { CallWaits } from './upstream/call-waits.ts';
import { ConnectionAge, type ConnectionAgeLimits } from './upstream/connection-age.ts';
import { cutClosedStreams } from './upstream/ended-calls.ts';
import { widenWindows } from './upstream/http2-window.ts';
import { OpenConnections } from './upstream/open-connections.ts';
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

/** The gRPC server of grpc-js, with the methods of Mneme on it. */
export class GrpcServer {
  private readonly server: Server;
  private readonly edge: Edge;
  private readonly health: Health;
  private readonly watchConnections: ReturnType<typeof widenWindows>;
  private readonly connections: OpenConnections;
  private readonly waits: CallWaits;
  private readonly ages: ConnectionAge;

  constructor(
    settings: TransportSettings,
    edge: Edge,
    health: Health,
    routes: readonly Route[],
    timers: Timers = systemTimers,
  ) {
    this.edge = edge;
    this.connections = new OpenConnections(settings, timers, edge.logger);
    this.waits = new CallWaits({ ...edge.limits, ...settings }, timers, () => edge.servedCount);
    edge.waits = this.waits;
    this.ages = new ConnectionAge(settings, timers, (session) => edge.endCallsOf(session));
    this.health = health;
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
    for (const mount of routes) mount(this.server, edge);
    answerUnknownMethods(this.server, edge);
    this.watchConnections = widenWindows(this.server, settings.http2WindowBytes);
  }

  /** Resolves to the address with the actual port. */
  async listen(address: string, credentials: ServerCredentials): Promise<string> {
    const port = await new Promise<number>((resolve, reject) => {
      this.server.bindAsync(address, credentials, (error, bound) => {
        if (error) reject(new Error(whyNot(address, error), { cause: error }));
        else resolve(bound);
      });
    });
    this.watchConnections((session) => {
      session.prependListener('stream', this.waits.open);
      cutClosedStreams(session);
      this.connections.addSession(session);
      this.ages.addSession(session);
    }, this.connections.addSocket);
    this.health.set(true);
    return address.startsWith('unix:') ? address : address.replace(/:\d+$/, `:${port}`);
  }

  /**
   * Reports NOT_SERVING, opens no more calls, lets those that have begun finish, and after the grace period ends all that are left
   * so that they continue on another server.
   */
  async stop(graceMs: number): Promise<void> {
    this.health.set(false);
    this.edge.refuseStreams();
    await this.ages.stop();
    const closed = new Promise<void>((resolve) => this.server.tryShutdown(() => resolve()));
    await this.edge.drain(graceMs);
    // Watchers of the health are notified before the stream ends.
    await nextTurn();
    this.edge.endCalls();
    await this.connections.cutUnless(closed);
    this.waits.close();
  }
}

/** grpc-js's own messages are logged at debug level. */
function logOf(logger: Logger): Partial<Console> {
  const log = (...words: unknown[]) => logger.debug(`grpc-js: ${words.join(' ')}`);
  return { error: log, info: log, debug: log };
}

function whyNot(address: string, { message }: Error): string {
  const why = /EADDRINUSE/.test(message)
    ? 'is in use by another program: stop that one'
    : /EACCES/.test(message)
      ? 'requires privileges: choose a port from 1024 on'
      : /EADDRNOTAVAIL|ENOTFOUND|EAI_AGAIN|Name resolution/.test(message)
        ? 'is not an address of this machine: correct it'
        : `cannot be listened on (${message.slice(0, 200)}): correct it`;
  return `${address} ${why}, or give another one with --listen`;
}
