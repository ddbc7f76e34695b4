import {
  type handleUnaryCall,
  Metadata,
  Server,
  ServerCredentials,
  type ServiceError,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js';
import type { Any } from '../../../gen/ts/google/protobuf/any.ts';
import { BadRequest, ErrorInfo, RetryInfo } from '../../../gen/ts/google/rpc/error_details.ts';
import { Status } from '../../../gen/ts/google/rpc/status.ts';
import { AdminServiceService } from '../../../gen/ts/mneme/v1/admin_service.ts';
import { ContextServiceService } from '../../../gen/ts/mneme/v1/context_service.ts';
import { MemoryServiceService } from '../../../gen/ts/mneme/v1/memory_service.ts';
import { NamespaceServiceService } from '../../../gen/ts/mneme/v1/namespace_service.ts';
import { RecallServiceService } from '../../../gen/ts/mneme/v1/recall_service.ts';
import { SubscriptionServiceService } from '../../../gen/ts/mneme/v1/subscription_service.ts';

/** Some methods of one service; the others answer UNIMPLEMENTED. */
type MethodsOf<Service> = Readonly<Partial<Record<keyof Service, unknown>>>;

export interface Services {
  readonly memory?: MethodsOf<typeof MemoryServiceService>;
  readonly context?: MethodsOf<typeof ContextServiceService>;
  readonly recall?: MethodsOf<typeof RecallServiceService>;
  readonly namespaces?: MethodsOf<typeof NamespaceServiceService>;
  readonly admin?: MethodsOf<typeof AdminServiceService>;
  readonly subscriptions?: MethodsOf<typeof SubscriptionServiceService>;
}

export interface StartedService {
  readonly address: string;
  readonly port: number;
  stop(): Promise<void>;
}

/** A gRPC server of the generated services with just the methods that a test needs. */
export async function startService(
  services: Services,
  port = 0,
  credentials = ServerCredentials.createInsecure(),
): Promise<StartedService> {
  const server = new Server();
  server.addService(MemoryServiceService, methodsOf(services.memory));
  server.addService(ContextServiceService, methodsOf(services.context));
  server.addService(RecallServiceService, methodsOf(services.recall));
  server.addService(NamespaceServiceService, methodsOf(services.namespaces));
  server.addService(AdminServiceService, methodsOf(services.admin));
  server.addService(SubscriptionServiceService, methodsOf(services.subscriptions));
  const bound = await new Promise<number>((resolve, reject) => {
    server.bindAsync(`127.0.0.1:${port}`, credentials, (error, boundPort) =>
      error === null ? resolve(boundPort) : reject(error),
    );
  });
  return {
    address: `127.0.0.1:${bound}`,
    port: bound,
    stop: async () => server.forceShutdown(),
  };
}

function methodsOf(methods: object = {}): UntypedServiceImplementation {
  return methods as UntypedServiceImplementation;
}

/** A unary method from a function: a thrown error is the status of the call. */
export function unary<Request, Response>(
  answer: (request: Request, metadata: Metadata) => Response | Promise<Response>,
): handleUnaryCall<Request, Response> {
  return (call, callback) => {
    Promise.resolve()
      .then(() => answer(call.request, call.metadata))
      .then(
        (response) => callback(null, response),
        (error: unknown) => callback(error as ServiceError),
      );
  };
}

export interface StatusDetails {
  readonly reason?: string;
  readonly metadata?: Record<string, string>;
  readonly violations?: { field: string; description: string }[];
  readonly retryDelayMs?: number;
}

/** A gRPC status as the server of Mneme sends it, with `google.rpc` details. */
export function statusError(code: number, message: string, details: StatusDetails = {}): Partial<ServiceError> {
  const { reason, metadata = {}, violations, retryDelayMs } = details;
  const any = (type: string, bytes: Uint8Array): Any => ({
    typeUrl: `type.googleapis.com/google.rpc.${type}`,
    value: Buffer.from(bytes),
  });
  const packed: Any[] = [];
  if (reason !== undefined) {
    packed.push(any('ErrorInfo', ErrorInfo.encode({ reason, domain: 'mneme.dev', metadata }).finish()));
  }
  if (violations !== undefined) {
    packed.push(any('BadRequest', BadRequest.encode(BadRequest.fromPartial({ fieldViolations: violations })).finish()));
  }
  if (retryDelayMs !== undefined) {
    const retryDelay = { seconds: BigInt(Math.floor(retryDelayMs / 1000)), nanos: (retryDelayMs % 1000) * 1e6 };
    packed.push(any('RetryInfo', RetryInfo.encode({ retryDelay }).finish()));
  }
  const trailers = new Metadata();
  if (packed.length > 0) {
    trailers.set('grpc-status-details-bin', Buffer.from(Status.encode({ code, message, details: packed }).finish()));
  }
  return { code, details: message, metadata: trailers };
}
