import {
  type CallOptions,
  type ChannelCredentials,
  type Client,
  type ClientDuplexStream,
  type ClientOptions,
  type ClientReadableStream,
  type ClientUnaryCall,
  type Metadata,
  makeGenericClientConstructor,
  type ServiceDefinition,
  type ServiceError,
} from '@grpc/grpc-js';
import { HealthService } from '../../gen/ts/grpc/health/v1/health.ts';
import { ServerReflectionService } from '../../gen/ts/grpc/reflection/v1/reflection.ts';
import { AdminServiceService } from '../../gen/ts/mneme/v1/admin_service.ts';
import { AgentServiceService } from '../../gen/ts/mneme/v1/agent_service.ts';
import { ConsolidationServiceService } from '../../gen/ts/mneme/v1/consolidation_service.ts';
import { ContextServiceService } from '../../gen/ts/mneme/v1/context_service.ts';
import { ConversationServiceService } from '../../gen/ts/mneme/v1/conversation_service.ts';
import { IngestServiceService } from '../../gen/ts/mneme/v1/ingest_service.ts';
import { KnowledgeServiceService } from '../../gen/ts/mneme/v1/knowledge_service.ts';
import { LifecycleServiceService } from '../../gen/ts/mneme/v1/lifecycle_service.ts';
import { MemoryServiceService } from '../../gen/ts/mneme/v1/memory_service.ts';
import { NamespaceServiceService } from '../../gen/ts/mneme/v1/namespace_service.ts';
import { RecallServiceService } from '../../gen/ts/mneme/v1/recall_service.ts';
import { ScopeServiceService } from '../../gen/ts/mneme/v1/scope_service.ts';
import { SubscriptionServiceService } from '../../gen/ts/mneme/v1/subscription_service.ts';
import { WorkingMemoryServiceService } from '../../gen/ts/mneme/v1/working_memory_service.ts';

type Answered<A> = (error: ServiceError | null, answer: A) => void;

interface Unary<Q, A> {
  (request: Q, callback: Answered<A>): ClientUnaryCall;
  (request: Q, metadata: Metadata, callback: Answered<A>): ClientUnaryCall;
  (request: Q, metadata: Metadata, options: Partial<CallOptions>, callback: Answered<A>): ClientUnaryCall;
}

interface ServerStream<Q, A> {
  (request: Q, options?: Partial<CallOptions>): ClientReadableStream<A>;
  (request: Q, metadata?: Metadata, options?: Partial<CallOptions>): ClientReadableStream<A>;
}

interface Bidi<Q, A> {
  (options?: Partial<CallOptions>): ClientDuplexStream<Q, A>;
  (metadata: Metadata, options?: Partial<CallOptions>): ClientDuplexStream<Q, A>;
}

/** Kind of a generated method: whether its requests and its answers are streams. */
interface Kind<Q extends boolean, A extends boolean> {
  readonly requestStream: Q;
  readonly responseStream: A;
}

type MethodOf<D> = D extends {
  readonly requestSerialize: (value: infer Q) => Buffer;
  readonly responseDeserialize: (bytes: Buffer) => infer A;
}
  ? D extends Kind<false, false>
    ? Unary<Q, A>
    : D extends Kind<false, true>
      ? ServerStream<Q, A>
      : Bidi<Q, A>
  : never;

/** A client of a generated service, as grpc-js has it. */
export type ServiceClient<S> = Client & { readonly [M in keyof S]: MethodOf<S[M]> };

type Constructor<S> = new (
  address: string,
  credentials: ChannelCredentials,
  options?: Partial<ClientOptions>,
) => ServiceClient<S>;

export function clientOf<S extends ServiceDefinition>(service: S): Constructor<S> {
  return makeGenericClientConstructor(service, '') as unknown as Constructor<S>;
}

export const HealthClient = clientOf(HealthService);
export type HealthClient = ServiceClient<typeof HealthService>;
export const ServerReflectionClient = clientOf(ServerReflectionService);
export type ServerReflectionClient = ServiceClient<typeof ServerReflectionService>;
export const AdminServiceClient = clientOf(AdminServiceService);
export type AdminServiceClient = ServiceClient<typeof AdminServiceService>;
export const AgentServiceClient = clientOf(AgentServiceService);
export type AgentServiceClient = ServiceClient<typeof AgentServiceService>;
export const ConsolidationServiceClient = clientOf(ConsolidationServiceService);
export type ConsolidationServiceClient = ServiceClient<typeof ConsolidationServiceService>;
export const ContextServiceClient = clientOf(ContextServiceService);
export type ContextServiceClient = ServiceClient<typeof ContextServiceService>;
export const ConversationServiceClient = clientOf(ConversationServiceService);
export type ConversationServiceClient = ServiceClient<typeof ConversationServiceService>;
export const IngestServiceClient = clientOf(IngestServiceService);
export type IngestServiceClient = ServiceClient<typeof IngestServiceService>;
export const KnowledgeServiceClient = clientOf(KnowledgeServiceService);
export type KnowledgeServiceClient = ServiceClient<typeof KnowledgeServiceService>;
export const LifecycleServiceClient = clientOf(LifecycleServiceService);
export type LifecycleServiceClient = ServiceClient<typeof LifecycleServiceService>;
export const MemoryServiceClient = clientOf(MemoryServiceService);
export type MemoryServiceClient = ServiceClient<typeof MemoryServiceService>;
export const NamespaceServiceClient = clientOf(NamespaceServiceService);
export type NamespaceServiceClient = ServiceClient<typeof NamespaceServiceService>;
export const RecallServiceClient = clientOf(RecallServiceService);
export type RecallServiceClient = ServiceClient<typeof RecallServiceService>;
export const ScopeServiceClient = clientOf(ScopeServiceService);
export type ScopeServiceClient = ServiceClient<typeof ScopeServiceService>;
export const SubscriptionServiceClient = clientOf(SubscriptionServiceService);
export type SubscriptionServiceClient = ServiceClient<typeof SubscriptionServiceService>;
export const WorkingMemoryServiceClient = clientOf(WorkingMemoryServiceService);
export type WorkingMemoryServiceClient = ServiceClient<typeof WorkingMemoryServiceService>;
