import { HealthService } from '../../../gen/ts/grpc/health/v1/health.ts';
import { AdminServiceService as AdminService } from '../../../gen/ts/mneme/v1/admin_service.ts';
import { AgentServiceService as AgentService } from '../../../gen/ts/mneme/v1/agent_service.ts';
import { ConsolidationServiceService as ConsolidationService } from '../../../gen/ts/mneme/v1/consolidation_service.ts';
import { ContextServiceService as ContextService } from '../../../gen/ts/mneme/v1/context_service.ts';
import { ConversationServiceService as ConversationService } from '../../../gen/ts/mneme/v1/conversation_service.ts';
import { IngestServiceService as IngestService } from '../../../gen/ts/mneme/v1/ingest_service.ts';
import { KnowledgeServiceService as KnowledgeService } from '../../../gen/ts/mneme/v1/knowledge_service.ts';
import { LifecycleServiceService as LifecycleService } from '../../../gen/ts/mneme/v1/lifecycle_service.ts';
import { MemoryServiceService as MemoryService } from '../../../gen/ts/mneme/v1/memory_service.ts';
import { NamespaceServiceService as NamespaceService } from '../../../gen/ts/mneme/v1/namespace_service.ts';
import { RecallServiceService as RecallService } from '../../../gen/ts/mneme/v1/recall_service.ts';
import { ScopeServiceService as ScopeService } from '../../../gen/ts/mneme/v1/scope_service.ts';
import { SubscriptionServiceService as SubscriptionService } from '../../../gen/ts/mneme/v1/subscription_service.ts';
import { WorkingMemoryServiceService as WorkingMemoryService } from '../../../gen/ts/mneme/v1/working_memory_service.ts';

/** The generated services, and the health protocol of gRPC, for `raw`. */
export const services = {
  AdminService,
  AgentService,
  ContextService,
  ConversationService,
  HealthService,
  IngestService,
  KnowledgeService,
  ConsolidationService,
  LifecycleService,
  MemoryService,
  NamespaceService,
  RecallService,
  ScopeService,
  SubscriptionService,
  WorkingMemoryService,
} as const;
