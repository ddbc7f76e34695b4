import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { TLSSocket } from 'node:tls';
import { systemTimers, type Timers } from '../../memory/clock.ts';
import type { MnemeError } from '../../memory/errors.ts';
import { packageVersion } from '../config/version.ts';
import type { Health } from '../grpc/admin/health-service.ts';
import type { Edge } from '../grpc/edge/edge.ts';
import type { Route } from '../grpc/edge/handler.ts';
import { loadDescriptors } from '../grpc/edge/load-descriptors.ts';
import { type Failure, failureOf as failureWithDetails } from '../grpc/edge/status.ts';
import { GrpcServer, type TransportSettings } from '../grpc/grpc-server.ts';
import { CallWaits } from '../grpc/upstream/call-waits.ts';
import { OpenConnections } from '../grpc/upstream/open-connections.ts';
import { CallMount, type Types } from './calls/call-mount.ts';
import { InProcessChannel } from './calls/in-process-channel.ts';
import { MethodTable } from './calls/method-table.ts';
import { ConnectionLives } from './connection-lives.ts';
import { readFirstBytes } from './first-bytes.ts';
import { HttpServer, type HttpSettings } from './http-server.ts';
import { Listener, type TlsFiles } from './listener.ts';
import type { Mount, NewMount } from './mount.ts';
import { OpenApiDocument } from './openapi-document.ts';
import { ProbeMount } from './probes.ts';

export interface PortSettings extends TransportSettings, HttpSettings {
  /** Off: HTTP/2 alone is served. */
  readonly http: 'on' | 'off';
}

export interface PortParts {
  readonly edge: Edge;
  readonly health: Health;
  readonly routes: readonly Route[];
  /** What else is served over HTTP/1.1, asked in order before the rest. */
  readonly mounts?: readonly NewMount[];
  readonly timers?: Timers;
  /** Of methods that are not in the image of the server. */
  readonly types?: () => Promise<Types>;
  /** The status of an error of the transport; absent: with the details of all errors. */
  readonly failureOf?: (error: MnemeError) => Failure;
}

/** One address for all protocols: HTTP/2 goes to grpc-js, HTTP/1.1 to the mounts, Connect and gRPC-Web among them. */
export class ServerPort {
  private readonly settings: PortSettings;
  private readonly parts: PortParts;
  private readonly timers: Timers;
  private readonly connections: OpenConnections;
  private readonly waits: CallWaits;
  private readonly grpc: GrpcServer;
  private readonly http: HttpServer | undefined;
  private listener: Listener | undefined;

  constructor(settings: PortSettings, parts: PortParts) {
    const { edge, routes, timers = systemTimers } = parts;
    this.settings = settings;
    this.parts = parts;
    this.timers = timers;
    this.connections = new OpenConnections(settings, timers, edge.logger);
    this.waits = new CallWaits({ ...edge.limits, ...settings }, timers, () => edge.servedCount);
    edge.waits = this.waits;
    this.grpc = new GrpcServer(settings, edge, routes, {
      connections: this.connections,
      waits: this.waits,
      timers,
    });
    this.http = settings.http === 'on' ? this.openHttp() : undefined;
  }

  /** Resolves to the address with the actual port. */
  async listen(address: string, tls?: TlsFiles): Promise<string> {
    const { http } = this;
    this.listener = new Listener({
      ...(tls && { tls }),
      protocols: http ? ['h2', 'http/1.1'] : ['h2'],
      onSocket: this.connections.addSocket,
      onConnection: (socket) => this.route(socket, tls !== undefined),
    });
    const bound = await this.listener.listen(address);
    this.parts.health.set(true);
    return bound;
  }

  replaceTls(files: TlsFiles): void {
    this.listener?.replaceTls(files);
  }

  /**
   * Reports NOT_SERVING, opens no more calls, lets those that have begun finish, and after the grace period ends all that are left
   * so that they continue on another server.
   */
  async stop(graceMs: number): Promise<void> {
    const { edge, health } = this.parts;
    health.set(false);
    edge.refuseStreams();
    this.http?.stop();
    await this.grpc.announceStop();
    const closed = Promise.all([this.grpc.close(), this.listener?.close()]);
    await edge.drain(graceMs);
    // Watchers of the health are notified before the stream ends.
    await nextTurn();
    edge.endCalls();
    await this.connections.cutUnless(closed);
    this.waits.close();
  }

  private route(socket: Socket, hasTls: boolean): void {
    const { http } = this;
    if (!http) this.acceptHttp2(socket);
    else if (!hasTls) readFirstBytes(socket, (isHttp2) => (isHttp2 ? this.acceptHttp2(socket) : http.accept(socket)));
    else if ((socket as TLSSocket).alpnProtocol === 'h2') this.acceptHttp2(socket);
    else http.accept(socket);
  }

  /** The peer of HTTP/2 that ends its side is gone. */
  private acceptHttp2(socket: Socket): void {
    socket.allowHalfOpen = false;
    this.grpc.accept(socket);
  }

  private openHttp(): HttpServer {
    const { edge, health, routes, mounts = [], types = typesOfImage, failureOf = detailed } = this.parts;
    const methods = new MethodTable();
    for (const mount of routes) mount(methods, edge);
    const version = packageVersion();
    const calls = new CallMount({
      methods,
      types,
      waits: this.waits,
      meter: () => edge.meter,
      maxRequestBytes: this.settings.maxRequestBytes,
      failureOf,
    });
    const lives = new ConnectionLives(this.settings, this.timers, (socket) => edge.endCallsOf(socket));
    const host = {
      channelFor: (caller: IncomingMessage) => new InProcessChannel(methods, caller),
      logger: edge.logger,
    };
    const others: readonly Mount[] = [...mounts.map((mount) => mount(host)), calls, new OpenApiDocument()];
    const links = Object.assign({}, ...others.map((mount) => mount.links)) as Readonly<Record<string, string>>;
    const all = [...others, new ProbeMount(health, indexOf(version, links))];
    return new HttpServer(this.settings, all, { lives, logger: edge.logger, onRequest: this.connections.addRequest });
  }
}

function detailed(error: MnemeError): Failure {
  return failureWithDetails(error, '');
}

async function typesOfImage(): Promise<Types> {
  const { registry } = await loadDescriptors();
  return {
    registry,
    methodOf(path) {
      const [service = '', name] = path.split('/');
      return registry.getService(service)?.methods.find((method) => method.name === name);
    },
  };
}

function indexOf(version: string, links: Readonly<Record<string, string>>): object {
  return {
    name: 'Mneme',
    version,
    protocols: ['gRPC', 'gRPC-Web', 'Connect (JSON and binary)'],
    call: 'curl -H \'content-type: application/json\' -d \'{"text":"…"}\' URL/mneme.v1.RecallService/Recall',
    links: { ...links, alive: '/healthz', ready: '/readyz' },
  };
}
