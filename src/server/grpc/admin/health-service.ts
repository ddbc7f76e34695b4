import { status as Code } from '@grpc/grpc-js';
import {
  HealthCheckRequest,
  HealthCheckResponse,
  HealthListRequest,
  HealthListResponse,
  HealthService as Service,
  HealthCheckResponse_ServingStatus as ServingStatus,
} from '../../../../gen/ts/grpc/health/v1/health.ts';
import { type Route, serverStream, unary } from '../edge/handler.ts';
import { ProtocolStatus } from '../edge/status.ts';

/**
 * Whether the server and each of its services serve, and the listeners for changes of that. A service that has
 * lost its backend does not; the server as a whole does all the same, since its other services go on.
 */
export class Health {
  private serving = false;
  private lost: ReadonlySet<string> = new Set();
  private changes = 0;
  private readonly waiting = new Set<() => void>();
  private readonly services: ReadonlySet<string>;

  /** `services` are the full names of the services; the empty name represents the whole server. */
  constructor(services: readonly string[]) {
    this.services = new Set(['', ...services]);
  }

  get isServing(): boolean {
    return this.serving;
  }

  set(serving: boolean): void {
    this.serving = serving;
    this.notify();
  }

  /** Names, without their package, of the services that do not serve; all others do. */
  lose(services: Iterable<string>): void {
    this.lost = new Set(services);
    this.notify();
  }

  statusOf(service: string): ServingStatus {
    if (!this.services.has(service)) return ServingStatus.SERVICE_UNKNOWN;
    const isLost = this.lost.has(service.slice(service.lastIndexOf('.') + 1));
    return this.serving && !isLost ? ServingStatus.SERVING : ServingStatus.NOT_SERVING;
  }

  /** Whether a service, by its full name, accepts calls; `undefined` of an unknown one. */
  isServiceServing(service: string): boolean | undefined {
    const status = this.statusOf(service);
    return status === ServingStatus.SERVICE_UNKNOWN ? undefined : status === ServingStatus.SERVING;
  }

  all(): Record<string, { status: ServingStatus }> {
    return Object.fromEntries([...this.services].map((service) => [service, { status: this.statusOf(service) }]));
  }

  /** The status now and whenever it has changed, until the signal is aborted. */
  async *watch(service: string, signal: AbortSignal): AsyncGenerator<ServingStatus> {
    let sent: ServingStatus | undefined;
    for (;;) {
      const seen = this.changes;
      const status = this.statusOf(service);
      if (status !== sent) yield status;
      sent = status;
      while (this.changes === seen) await this.change(signal);
    }
  }

  private notify(): void {
    this.changes++;
    for (const wake of this.waiting) wake();
  }

  private async change(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const abort = () => reject(signal.reason);
    this.waiting.add(resolve);
    signal.addEventListener('abort', abort);
    try {
      await promise;
    } finally {
      this.waiting.delete(resolve);
      signal.removeEventListener('abort', abort);
    }
  }
}

/** The protocol of `grpc.health.v1`, which is exempt from credentials and from the limit of concurrent calls. */
export function healthService(health: Health): Route[] {
  const open = { isOpen: true };
  return [
    unary(
      Service.check,
      HealthCheckRequest,
      HealthCheckResponse,
      ({ service }) => {
        const status = health.statusOf(service);
        if (status !== ServingStatus.SERVICE_UNKNOWN) return { status };
        throw new ProtocolStatus(Code.NOT_FOUND, `the server has no service ${JSON.stringify(service)}`);
      },
      open,
    ),
    unary(Service.list, HealthListRequest, HealthListResponse, () => ({ statuses: health.all() }), open),
    serverStream(
      Service.watch,
      HealthCheckRequest,
      HealthCheckResponse,
      async function* ({ service }, call) {
        for await (const status of health.watch(service, call.signal)) yield { status };
      },
      open,
    ),
  ];
}
