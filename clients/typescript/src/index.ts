import { type AdminCalls, adminService } from './admin-calls.ts';
import { Connection } from './connection.ts';
import { type ExportCalls, exportCalls } from './export-calls.ts';
import { type HistoryCalls, historyCalls } from './history-calls.ts';
import { type ImportCalls, importCalls } from './import-calls.ts';
import type { MemoryCalls } from './memory-calls.ts';
import { memoryService } from './memory-service.ts';
import type { NamespaceCalls } from './namespace-calls.ts';
import { namespaceService } from './namespace-service.ts';
import type { ConnectOptions } from './options.ts';
import { type RecallCalls, recallService } from './recall-calls.ts';
import { ingestCalls } from './streams/ingest-calls.ts';
import type { IngestCalls } from './streams/ingest-types.ts';
import { type SessionCalls, sessionCalls } from './streams/session-calls.ts';
import { type SubscribeCalls, subscribeCalls } from './streams/subscribe-calls.ts';
import { watchCalls } from './streams/watch-calls.ts';
import type { WatchCalls } from './streams/watch-types.ts';

export type { AdminCalls, ReembedProgress, ServerInfo, ServerStatistics } from './admin-calls.ts';
export { Content, type Json } from './content.ts';
export type { Change, ConflictPolicy, Lane, ListOrder } from './enums.ts';
export * from './errors.ts';
export type { ExportCalls, ExportQuery } from './export-calls.ts';
export {
  type Area,
  and,
  type Comparable,
  type ComparableText,
  type ComparableValue,
  type Filter,
  not,
  or,
  path,
  type TextOptions,
  where,
  within,
} from './filter.ts';
export type { AttributeChange, ChangeHistoryQuery, HistoryCalls, SequenceQuery, StatesQuery } from './history-calls.ts';
export type { ImportCalls, Imported, ImportOptions, ImportProgress } from './import-calls.ts';
export type * from './memory.ts';
export type {
  ForgetQuery,
  Forgotten,
  ListPage,
  ListQuery,
  MemoryCalls,
  MemoryRevision,
  Receipt,
} from './memory-calls.ts';
export type { Namespace, NamespaceCalls, NamespaceSettings, ScopeCount } from './namespace-calls.ts';
export type { NearPlace, NearTime, TimeWindow } from './nearness.ts';
export type { CallOptions, ConnectOptions, ReadOptions, TlsOptions, WriteOptions } from './options.ts';
export { PreciseDate } from './precise-date.ts';
export type { RecallCalls } from './recall-calls.ts';
export type { RecallPreset, RecallPresetDescription } from './recall-presets.ts';
export type {
  Hit,
  Passage,
  Recalled,
  RecallQuery,
  RecallWeights,
  ScoreComponent,
} from './recall-types.ts';
export type { MemoryStatistics } from './statistics.ts';
export type { IngestCalls, IngestOptions, IngestProgress } from './streams/ingest-types.ts';
export type { StreamOptions } from './streams/resuming.ts';
export type { Session, SessionCalls, SessionOutcome } from './streams/session-calls.ts';
export type { Standing, SubscribeCalls } from './streams/subscribe-calls.ts';
export type { Timing } from './streams/timing.ts';
export type { WatchCalls, WatchEvent, WatchedChange, WatchQuery } from './streams/watch-types.ts';

/** Everything that one namespace of a server can be asked. */
export interface Mneme
  extends MemoryCalls,
    HistoryCalls,
    RecallCalls,
    ExportCalls,
    ImportCalls,
    WatchCalls,
    SubscribeCalls,
    SessionCalls,
    IngestCalls {
  /** Namespace that the calls are about. */
  readonly namespace: string;
  readonly namespaces: NamespaceCalls;
  readonly admin: AdminCalls;
  /** The same over the same connection, about another namespace. */
  in(namespace: string): Mneme;
  /** Ends the connection, for all namespaces. Calls in flight still get their answers; later ones are refused. */
  close(): void;
}

/**
 * Opens a client. Nothing is sent until the first call; the connection is made, and made again when it breaks, as
 * calls need it.
 *
 * The address is `host:port`, `host` (port 50051), `dns:///host:port` or `unix:/path`.
 */
export function connect(address = '127.0.0.1:50051', options: ConnectOptions = {}): Mneme {
  const connection = new Connection(address, options);
  return callsOf(connection, options.namespace ?? 'default');
}

function callsOf(connection: Connection, namespace: string): Mneme {
  return {
    namespace,
    ...memoryService(connection, namespace),
    ...historyCalls(connection, namespace),
    ...recallService(connection, namespace),
    ...exportCalls(connection, namespace),
    ...importCalls(connection, namespace),
    ...watchCalls(connection, namespace),
    ...subscribeCalls(connection, namespace),
    ...sessionCalls(connection, namespace),
    ...ingestCalls(connection, namespace),
    namespaces: namespaceService(connection, namespace),
    admin: adminService(connection),
    in: (other) => callsOf(connection, other),
    close: () => connection.close(),
  };
}
