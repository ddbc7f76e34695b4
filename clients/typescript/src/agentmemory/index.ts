/**
 * The Agent Memory API on a Mneme server: `@mneme/client/agentmemory`.
 *
 * @module
 */
export { AgentMemoryAPI, type AgentMemoryAPIOptions } from './agent-memory-api.ts';
export type { Clock } from './cache.ts';
export { type CacheableOptions, type Cached, cacheable } from './cacheable.ts';
export type { MemoryTier } from './checks.ts';
export {
  AutoencoderConfig,
  type AutoencoderOptions,
  MemoryConfig,
  type MemoryConfigChanges,
  type MemoryOptions,
  RedisIMConfig,
  RedisSTMConfig,
  type RedisTierOptions,
  SQLiteLTMConfig,
  type SQLiteLTMOptions,
} from './config.ts';
export type { EntryEmbeddings, EntryMetadata, MemoryEntry } from './entries.ts';
export {
  type ExceptionContext,
  type ExceptionDetails,
  MemoryAPIException,
  MemoryConfigException,
  MemoryMaintenanceException,
  MemoryRetrievalException,
  MemoryStoreException,
  type Recoverability,
} from './errors.ts';
export {
  type AgentClass,
  BaseAgent,
  flushMemoryHooks,
  type HookOptions,
  installMemoryHooks,
  recordInteraction,
  setDefaultApi,
  withMemory,
} from './hooks.ts';
export { makeHashable } from './keys.ts';
export type { Logger, LogLevel, LogMessage } from './log.ts';
export type { FlushReport, NotStored } from './memory-queue.ts';
export { type EventHook, type MemoryData, MemorySpace, type MemoryStatisticsEntry } from './memory-space.ts';
export {
  ActionData,
  type ActionDataFields,
  ActionResult,
  type ActionResultFields,
  AgentState,
  type AgentStateFields,
  type Fields,
  Model,
} from './models.ts';
export { Config } from './options.ts';
export type { AttributeChangeEntry } from './retrieval.ts';
export type { QueryState, SearchOptions } from './search.ts';
