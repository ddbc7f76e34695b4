/** Services whose health can be asked for, by their full names. */
export const SERVICES = [
  'MemoryService',
  'RecallService',
  'ContextService',
  'NamespaceService',
  'AdminService',
  'WorkingMemoryService',
  'LifecycleService',
  'AgentService',
  'ScopeService',
  'IngestService',
  'SubscriptionService',
  'ConversationService',
  'KnowledgeService',
  'ConsolidationService',
].map((name) => `mneme.v1.${name}`);
