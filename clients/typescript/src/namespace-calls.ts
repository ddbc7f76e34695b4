import type { AgentStatistics } from './agent-statistics.ts';
import type { Scope } from './memory.ts';
import type { CallOptions, WriteOptions } from './options.ts';
import type { MemoryStatistics } from './statistics.ts';

export interface Namespace {
  /** Resource name, `namespaces/{id}`. */
  readonly name: string;
  readonly id: string;
  readonly description: string;
  readonly createTime: Date;
  readonly updateTime: Date;
  /** Model and dimension of its vectors; empty and 0 until the first vector fixes them. */
  readonly embeddingModel: string;
  readonly embeddingDimension: number;
  /** Most memories it may hold; 0 for no limit. */
  readonly memoryLimit: number;
  /** Its own settings of tiers, by dotted key. */
  readonly settings: Readonly<Record<string, string>>;
  /** Version for conditional changes. */
  readonly version: number;
}

export interface NamespaceSettings {
  readonly description?: string;
  readonly memoryLimit?: number;
  /**
   * Settings of its tiers by dotted key, such as `'short_term.memory_limit': 5000`; `null` removes one. Other settings
   * stay. `proto/mneme/v1/namespace_service.proto` lists them.
   */
  readonly settings?: Readonly<Record<string, string | number | null>>;
}

export interface ScopeCount {
  readonly scope: Scope;
  /** How many memories have exactly this scope. */
  readonly memoryCount: number;
}

/** Options of the calls that give statistics. */
export interface StatisticsOptions extends CallOptions {
  /** Leaves out types and accesses. */
  readonly simplified?: boolean;
}

export interface NamespaceStatistics extends MemoryStatistics {
  /** Time of the last requested maintenance, or of the last one that moved memories. */
  readonly lastMaintenanceTime?: Date;
}

/** NamespaceService. Namespaces are named by id or resource name; where one is left out it is the client's own. */
export interface NamespaceCalls {
  /** `AlreadyExistsError` when it is there. */
  create(namespace: string, settings?: NamespaceSettings, options?: WriteOptions): Promise<Namespace>;
  get(namespace?: string, options?: CallOptions): Promise<Namespace>;
  /** All namespaces by name. */
  list(options?: CallOptions): AsyncGenerator<Namespace, void, undefined>;
  update(
    namespace: string,
    settings: NamespaceSettings,
    options?: WriteOptions & {
      readonly ifVersion?: number;
      /** Accepts limits below the contents of the tiers; memories above them are moved down. */
      readonly allowDemotion?: boolean;
    },
  ): Promise<Namespace>;
  /** `FailedPreconditionError` when it holds memories, unless `force`, which erases them too. */
  delete(
    namespace: string,
    options?: WriteOptions & { readonly force?: boolean },
  ): Promise<{ forgottenCount: number; revision: number }>;
  /** The scopes that memories of a namespace have. */
  listScopes(namespace?: string, options?: CallOptions): AsyncGenerator<ScopeCount, void, undefined>;
  /** Totals of a namespace. */
  getStatistics(namespace?: string, options?: StatisticsOptions): Promise<NamespaceStatistics>;
  /** Totals of one agent in a namespace. */
  getAgentStatistics(agent: string, namespace?: string, options?: StatisticsOptions): Promise<AgentStatistics>;
}
