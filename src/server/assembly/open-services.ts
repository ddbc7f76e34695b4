import type { Clock, Timers } from '../../memory/clock.ts';
import type { StaticTexts } from '../../search/embedding/static/static-embedder.ts';
import type { StoreDescription } from '../../storage/records.ts';
import type { Config } from '../config/config.ts';
import { limitsOf } from '../config/config.ts';
import { packageVersion } from '../config/version.ts';
import type { Extractor } from '../extraction/extractor.ts';
import { adminService } from '../grpc/admin/admin-service.ts';
import { type Health, healthService } from '../grpc/admin/health-service.ts';
import { reflectionService } from '../grpc/admin/reflection-service.ts';
import type { Route } from '../grpc/edge/handler.ts';
import { memoryService } from '../grpc/memories/memory-service.ts';
import { namespaceService } from '../grpc/namespaces/namespace-service.ts';
import { recallService } from '../grpc/recall/recall-service.ts';
import { ingestService } from '../grpc/streams/ingest-service.ts';
import { streamMethods } from '../grpc/streams/stream-methods.ts';
import { type SubscriptionServiceDeps, subscriptionService } from '../grpc/streams/subscription-service.ts';
import type { RepeatingJob } from '../jobs/repeating-job.ts';
import type { Logger } from '../logger.ts';
import { idSource } from '../new-id.ts';
import { getServerInfo, type ServerDeps } from '../operations/admin/get-server-info.ts';
import type { MemoryDeps } from '../operations/memories/operation-deps.ts';
import { limitedRecords, type StoredQuotas } from '../operations/quotas/limited-store.ts';
import type { AnswerRecallDeps } from '../operations/recall/answer-recall.ts';
import type { RecallCache } from '../operations/recall/cached-search.ts';
import type { LifecycleHook } from '../operations/sessions/lifecycle/hooks.ts';
import type { MemoryPressure } from '../operations/tiers/memory-pressure.ts';
import type { ConfigDeps } from '../operations/tiers/tier-config.ts';
import { VisibilityRules } from '../operations/visibility/visibility.ts';
import { visibleRecords, visibleView } from '../operations/visibility/visible-store.ts';
import { contextServices } from './context-services.ts';
import type { memoryJobsOf } from './memory-jobs.ts';
import { type ConversationParts, openConversations } from './open-conversations.ts';
import { openConsolidation, openKnowledge } from './open-knowledge.ts';
import { openWebhooks, type WebhookParts } from './open-webhooks.ts';
import { type SessionServices, sessionServices } from './session-services.ts';
import { leasedBy } from './shared-jobs.ts';
import type { OpenedStorage, Storage } from './storage-parts.ts';
import type { StreamParts } from './stream-parts.ts';
import type { WatchedEmbedder } from './watched-embedder.ts';

/** The opened parts of a server. */
export interface ServiceParts extends Required<ConfigDeps>, Pick<ServerDeps, 'degraded'> {
  /** Stores of the storage, which tests may replace. */
  readonly stores: Storage;
  readonly storage: OpenedStorage;
  readonly embedder: WatchedEmbedder;
  readonly texts: StaticTexts;
  readonly pressure: MemoryPressure;
  readonly cache: RecallCache;
  readonly parts: StreamParts;
  readonly memoryJobs: ReturnType<typeof memoryJobsOf>;
  /** Absent without a policy. */
  readonly quotas: StoredQuotas | undefined;
  readonly health: Health;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly hooks: readonly LifecycleHook[];
  readonly extractors: Readonly<Record<string, Extractor>>;
  readonly timers: Timers;
  readonly closers: (() => Promise<void>)[];
  mayRequireHooks(caller: string): boolean;
}

export interface Services {
  readonly routes: readonly Route[];
  readonly conversations: ConversationParts;
  readonly consolidation: ReturnType<typeof openConsolidation>;
  readonly sessionJob: RepeatingJob;
  readonly webhooks: Omit<WebhookParts, 'terms'>;
  readonly backends: readonly StoreDescription[];
}

/** All services, each with the parts that it needs. */
export async function openServices(config: Config, opened: ServiceParts): Promise<Services> {
  const { stores, storage, parts, quotas, hooks, extractors, logger, mayRequireHooks, clock, timers, closers } = opened;
  const { store, view, policies } = stores;
  const { streams, awaited } = parts;
  const memories = memoryDepsOf(config, opened);
  const limited = quotas ? limitedRecords(store, view, quotas) : store;
  const visibilityRules = new VisibilityRules(policies);
  policies.onChange((namespace) => parts.standing.outdate(namespace));
  /** Memories as callers see them, within their limits. */
  const seen: MemoryDeps = {
    ...memories,
    store: visibleRecords(limited, visibilityRules),
    view: visibleView(view, visibilityRules),
    whole: { store: limited, view },
  };
  const recall = recallDepsOf(config, opened, seen);
  const leased = leasedBy(storage, logger);
  const webhookInputs = { storage, parts, visibilityRules, clock, timers, closers, leased };
  const webhooks = openWebhooks(config, webhookInputs, logger);
  const degraded = () => [...opened.degraded(), ...webhooks.webhooks.degraded()];
  const server = serverDepsOf(config, { ...opened, degraded });
  const sessionInputs = { memories, seen, visibilityRules, streams, awaited, mayRequireHooks };
  const sessions = await sessionServices(config, sessionInputs, stores, hooks, logger, leased);
  const knowledge = openKnowledge(config, { memories, limited, seen, recall, visibilityRules }, logger);
  const consolidation = openConsolidation(seen, logger, leased);
  const conversationInputs = { memories, seen, visibilityRules, parts, knowledge, extractors };
  const conversations = openConversations(config, conversationInputs, logger);
  const callDeps = { memories, seen, recall, server, visibilityRules, webhooks };
  return {
    routes: routesOf(config, opened, callDeps, sessions, conversations),
    conversations,
    consolidation,
    sessionJob: sessions.job,
    webhooks,
    backends: getServerInfo(server).backends,
  };
}

/** All memories, without limits: for work of the server itself. */
function memoryDepsOf(config: Config, { stores, embedder, clock, memoryJobs }: ServiceParts): MemoryDeps {
  return {
    store: stores.store,
    view: stores.view,
    embedder,
    clock,
    newId: idSource(),
    autoCreateNamespaces: config.autoCreateNamespaces,
    onEmbeddingPending: () => memoryJobs.embedding.wake(),
  };
}

function recallDepsOf(
  config: Config,
  { stores, embedder, clock, pressure, cache, texts }: ServiceParts,
  { store, view }: MemoryDeps,
): AnswerRecallDeps {
  return {
    store,
    view,
    engine: stores.engine,
    embedder,
    clock,
    pressure,
    cache,
    sessions: stores.sessions,
    policies: stores.policies,
    countTokens: (text, max) => texts.countTokens(text, max),
    limits: limitsOf(config),
  };
}

function serverDepsOf(config: Config, { stores, storage, embedder, clock, degraded }: ServiceParts): ServerDeps {
  return {
    store: stores.store,
    sessions: stores.sessions,
    embedder,
    describeStorage: () => storage.describeStorage(),
    version: packageVersion(),
    startedAtUs: clock.nowUs(),
    limits: limitsOf(config),
    degraded,
  };
}

interface CallDeps {
  readonly memories: MemoryDeps;
  readonly seen: MemoryDeps;
  readonly recall: AnswerRecallDeps;
  readonly server: ServerDeps;
  readonly visibilityRules: VisibilityRules;
  readonly webhooks: WebhookParts;
}

function routesOf(
  config: Config,
  opened: ServiceParts,
  { memories, seen, recall, server, visibilityRules, webhooks }: CallDeps,
  sessionRoutes: Pick<SessionServices, 'routes'>,
  conversations: Pick<ConversationParts, 'routes'>,
): Route[] {
  const { stores, storage, texts, pressure, cache, parts, memoryJobs, health, clock, logger, onConfig } = opened;
  const { sessions, policies, engine } = stores;
  const { feed, streams, awaited, standing, searches, evaluations, subscriptions, subscriptionStore } = parts;
  const { heartbeatMs, retention } = parts;
  const { autoCreateNamespaces, maxStreamStallMs } = config;
  const { store, view } = memories;
  const streaming = { feed, streams, awaited, standing, searches, evaluations, heartbeatMs, visibilityRules };
  const consuming = { feed, streams, subscriptions, subscriptionStore, heartbeatMs, maxStreamStallMs, visibilityRules };
  const reembedding = {
    reembeddings: storage.reembeddings,
    onReembedding: () => memoryJobs.reembedding.wake(),
    reembedFailure: () => memoryJobs.reembedding.failure,
  };
  const measured = { engine, cache, streams, standing, subscriptions, retention };
  const operator = { store, view, clock, pressure };
  return [
    ...memoryService({ ...seen, pressure }, config),
    ...recallService(recall),
    ...conversations.routes,
    ...contextServices(recall, { autoCreateNamespaces, sessions, visibilityRules, texts, logger }),
    ...ingestService({ ...seen, streams }, config),
    ...streamMethods({ ...recall, ...streaming, sessions }),
    ...subscriptionService({ ...consuming, store, clock, autoCreateNamespaces, webhooks: webhooksOf(webhooks) }),
    ...namespaceService({ store: seen.store, view: seen.view, clock, policies, sessions, visibilityRules }, config),
    ...adminService({ ...server, ...seen, ...reembedding, ...measured, pressure, onConfig, operator }, config),
    ...sessionRoutes.routes,
    ...healthService(health),
    ...reflectionService(),
  ];
}

function webhooksOf({ webhooks, terms }: WebhookParts): SubscriptionServiceDeps['webhooks'] {
  return { ...terms, changed: () => webhooks.changed() };
}
