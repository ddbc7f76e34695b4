import { type AdminCalls, adminService } from './admin-calls.ts';
import { type AgentCalls, agentCalls } from './agent-calls.ts';
import { checkedCalls, checkOptions } from './check-options.ts';
import { CONNECTION, Connection } from './connection.ts';
import { type ConsolidationCalls, consolidationCalls } from './consolidation-calls.ts';
import { type ContextCalls, contextCalls } from './context-calls.ts';
import { type ConversationCalls, conversationCalls } from './conversation-calls.ts';
import { type ExportCalls, exportCalls } from './export-calls.ts';
import { type FactCalls, factCalls } from './fact-calls.ts';
import { type HistoryCalls, historyCalls } from './history-calls.ts';
import { type ImportCalls, importCalls } from './import-calls.ts';
import { type LifecycleCalls, lifecycleCalls } from './lifecycle-calls.ts';
import type { MemoryCalls } from './memory-calls.ts';
import { memoryService } from './memory-service.ts';
import type { NamespaceCalls } from './namespace-calls.ts';
import { namespaceService } from './namespace-service.ts';
import type { ConnectOptions } from './options.ts';
import { type EpisodeCalls, episodeCalls, type ProcedureCalls, procedureCalls } from './procedure-calls.ts';
import { type RawCalls, rawCalls } from './raw-calls.ts';
import { type RecallCalls, recallService } from './recall-calls.ts';
import { type RecallStreamCalls, recallStreamCalls } from './recall-stream.ts';
import { type ScopeCalls, scopeCalls } from './scope-calls.ts';
import { ingestCalls } from './streams/ingest-calls.ts';
import type { IngestCalls } from './streams/ingest-types.ts';
import { type SubscribeCalls, subscribeCalls } from './streams/subscribe-calls.ts';
import type { SubscriptionCalls } from './streams/subscription-types.ts';
import { watchCalls } from './streams/watch-calls.ts';
import type { WatchCalls } from './streams/watch-types.ts';
import { subscriptionCalls } from './subscription-calls.ts';
import { type TierCalls, tierCalls } from './tier-calls.ts';
import type { WorkingMemory } from './working-memory-calls.ts';
import { workingMemory } from './working-memory-service.ts';

export type { AdminCalls, ReembedProgress, ServerInfo, ServerStatistics } from './admin-calls.ts';
export type { AgentCalls, AgentScope, AgentSnapshot, AgentSnapshotDiff } from './agent-calls.ts';
export type { AgentStatistics } from './agent-statistics.ts';
export { type AgentTool, agentTools, callAgentTool, type ToolCalls, type ToolResult } from './agent-tools.ts';
export type { CheckpointCalls } from './checkpoint-calls.ts';
export type {
  ConsolidatedMemory,
  ConsolidateQuery,
  ConsolidateResult,
  ConsolidationCalls,
  UndoConsolidationResult,
} from './consolidation-calls.ts';
export { Content, type Json } from './content.ts';
export type { ContextCalls } from './context-calls.ts';
export type * from './context-types.ts';
export type { ConversationCalls } from './conversation-calls.ts';
export type * from './conversation-types.ts';
export type { ChangeKind, ConflictPolicy, MemoryOrder, RecallLane } from './enums.ts';
export * from './errors.ts';
export type { ExportCalls, ExportQuery } from './export-calls.ts';
export type { ExtractorCalls } from './extractor-calls.ts';
export type * from './extractor-types.ts';
export type { FactCalls } from './fact-calls.ts';
export type * from './fact-types.ts';
export {
  type Area,
  allOf,
  anyOf,
  CalendarDay,
  type Comparable,
  type ComparableText,
  type ComparableValue,
  day,
  type Filter,
  type FilterLike,
  negate,
  path,
  type TextOptions,
  where,
  within,
} from './filter.ts';
export type {
  AttributeChange,
  AttributeHistoryQuery,
  HistoryCalls,
  SequenceQuery,
  StatesQuery,
} from './history-calls.ts';
export type { ImportCalls, ImportOptions, ImportProgress, ImportResult } from './import-calls.ts';
export type { RefusedMemory } from './import-refusals.ts';
export type { LifecycleCalls } from './lifecycle-calls.ts';
export type * from './lifecycle-types.ts';
export type * from './memory.ts';
export type {
  CountQuery,
  ForgetRequest,
  ForgetResult,
  ListPage,
  ListQuery,
  MemoryCalls,
  MemoryCount,
  MemoryRevision,
  SupersedeReceipt,
  ValidityQuery,
  WriteReceipt,
} from './memory-calls.ts';
export type { MemoryPressure, MemoryUse } from './memory-pressure.ts';
export { type MessageFrom, messageFrom, type TimedMessage } from './message-content.ts';
export { messageTime } from './message-time.ts';
export type {
  Namespace,
  NamespaceCalls,
  NamespaceSettings,
  NamespaceStatistics,
  ScopeCount,
  StatisticsOptions,
} from './namespace-calls.ts';
export type { NearPlace, NearTime, TimeWindow } from './nearness.ts';
export type {
  CallerScope,
  CallOptions,
  ConnectOptions,
  ReadOptions,
  TlsOptions,
  TraceContext,
  WriteOptions,
} from './options.ts';
export { PreciseDate, type TimeLike } from './precise-date.ts';
export type { EpisodeCalls, ProcedureCalls } from './procedure-calls.ts';
export type * from './procedure-types.ts';
export type { RawCalls, RawMethod } from './raw-calls.ts';
export type { RecallCalls } from './recall-calls.ts';
export type { RecallPreset, RecallPresetDescription } from './recall-presets.ts';
export type { RecallStreamCalls, RecallStreamEvent } from './recall-stream.ts';
export type {
  MatchedPassage,
  Passage,
  RecallHit,
  RecallQuery,
  RecallResult,
  RecallWeights,
  ScoreComponent,
} from './recall-types.ts';
export type * from './reflect-types.ts';
export type { ScopeCalls, ScopePolicy } from './scope-calls.ts';
export { services } from './services.ts';
export type { MemoryAccess, MemoryStatistics, RecallCacheStatistics, TierStatistics } from './statistics.ts';
export type { StoreOptions, TextFields } from './stored-text.ts';
export type { StreamStatistics, StreamTerms } from './stream-statistics.ts';
export type { IngestCalls, IngestOptions, IngestProgress } from './streams/ingest-types.ts';
export type { StreamOptions } from './streams/resuming.ts';
export type { StandingAnswer, SubscribeCalls } from './streams/subscribe-calls.ts';
export type {
  ConsumeQuery,
  Delivery,
  DeliveryMode,
  Subscription,
  SubscriptionCalls,
  SubscriptionSettings,
  Webhook,
  WebhookSecret,
  WebhookSettings,
  WebhookState,
} from './streams/subscription-types.ts';
export type { Timing } from './streams/timing.ts';
export type { MemoryChange, WatchCalls, WatchEvent, WatchQuery } from './streams/watch-types.ts';
export type {
  ClearTierRequest,
  ClearTierResult,
  MaintainRequest,
  MaintenanceStep,
  MoveReason,
  MoveResult,
  TierCalls,
  TierMove,
} from './tier-calls.ts';
export type { JsonSchema } from './tool-arguments.ts';
export type { TrustLevel } from './trust.ts';
export type { WorkingMemory } from './working-memory-calls.ts';
export type {
  Checkpoint,
  CheckpointDiff,
  KeyExpiry,
  RestoreCheckpointResult,
  ScratchpadNote,
  SessionDefault,
  SessionEvent,
  SessionEventKind,
  SessionWatchQuery,
  SetOptions,
  TaskProgress,
  TaskState,
  TaskStatus,
  ValueOperation,
  WorkingEntry,
  WorkingKey,
  WorkingMemoryStatistics,
} from './working-memory-types.ts';

/** The calls of one namespace of a server. */
export interface Mneme
  extends MemoryCalls,
    HistoryCalls,
    RecallCalls,
    RecallStreamCalls,
    ContextCalls,
    TierCalls,
    ExportCalls,
    ImportCalls,
    WatchCalls,
    SubscribeCalls,
    IngestCalls,
    RawCalls {
  /** Namespace that the calls are about. */
  readonly namespace: string;
  readonly namespaces: NamespaceCalls;
  readonly admin: AdminCalls;
  readonly lifecycle: LifecycleCalls;
  readonly agents: AgentCalls;
  readonly scopes: ScopeCalls;
  readonly subscriptions: SubscriptionCalls;
  readonly conversations: ConversationCalls;
  readonly facts: FactCalls;
  readonly episodes: EpisodeCalls;
  readonly procedures: ProcedureCalls;
  readonly consolidation: ConsolidationCalls;
  /** Working memory of a session, by its id. Sends nothing until the first call. */
  session(id: string): WorkingMemory;
  /** The same over the same connection, about another namespace. */
  withNamespace(namespace: string): Mneme;
  /**
   * Closes the connection, for all namespaces. Later calls are refused, and read-only streams end with
   * `CancelledError`. Calls in flight still get their answers, and an `ingest` or import is finished, within
   * `timeoutMs`: the promise resolves when all of them have ended, and never rejects. Calls unanswered by then end with
   * `CancelledError`.
   */
  close(): Promise<void>;
  /** As `close`: `await using mneme = connect()`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Opens a client. Sends nothing until the first call; calls establish the connection, and re-establish it after a
 * failure.
 *
 * The address is `host:port`, `host` (port 50051), `dns:///host:port` or `unix:/path`.
 */
export function connect(address = '127.0.0.1:50051', options: ConnectOptions = {}): Mneme {
  checkOptions('ConnectOptions', options, 'connect');
  const connection = new Connection(address, options);
  return checkedCalls('Mneme', callsOf(connection, options.namespace ?? 'default'));
}

function callsOf(connection: Connection, namespace: string): Mneme & { readonly [CONNECTION]: Connection } {
  return {
    namespace,
    ...memoryService(connection, namespace),
    ...historyCalls(connection, namespace),
    ...recallService(connection, namespace),
    ...recallStreamCalls(connection, namespace),
    ...contextCalls(connection, namespace),
    ...tierCalls(connection, namespace),
    ...exportCalls(connection, namespace),
    ...importCalls(connection, namespace),
    ...watchCalls(connection, namespace),
    ...subscribeCalls(connection, namespace),
    ...ingestCalls(connection, namespace),
    ...rawCalls(connection),
    namespaces: namespaceService(connection, namespace),
    admin: adminService(connection),
    lifecycle: lifecycleCalls(connection, namespace),
    agents: agentCalls(connection, namespace),
    scopes: scopeCalls(connection, namespace),
    subscriptions: subscriptionCalls(connection, namespace),
    conversations: conversationCalls(connection, namespace),
    facts: factCalls(connection, namespace),
    episodes: episodeCalls(connection, namespace),
    procedures: procedureCalls(connection, namespace),
    consolidation: consolidationCalls(connection, namespace),
    session: (id) => workingMemory(connection, namespace, id),
    withNamespace: (other) => callsOf(connection, other),
    close: () => connection.close(),
    [Symbol.asyncDispose]: () => connection.close(),
    [CONNECTION]: connection,
  };
}
